import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Attack, Need } from "../../src/attack/attack.ts";
import { attacks } from "../../src/attack/attacks.ts";
import { enter } from "../../src/attack/enter.ts";
import { findTarget } from "../../src/attack/find.ts";
import { type Result, runAttacks } from "../../src/attack/run.ts";
import { nginx } from "../proxies/nginx.ts";
import { whereInstalled } from "../proxies/program.ts";
import { startSite } from "../proxies/site.ts";
import { startApp } from "../support/app.ts";
import { send } from "../support/client.ts";
import { OWNER, SECRET, startGate } from "../support/gate.ts";
import { attackNamed } from "./attacking.ts";

const THOROUGH: ReadonlySet<Need> = new Set(["account", "disturb"]);

/** As an operator would who gives an account away and lets their own address be shut out. */
async function attackWithAccount(
  url: string,
  guarded: readonly string[],
  which: readonly Attack[] = attacks,
): Promise<readonly Result[]> {
  const target = await findTarget({ url, guarded, knownSecrets: [SECRET.slice(1)], fresh: false });
  assert.equal(await enter(target, OWNER.username, OWNER.password), "entered");
  return runAttacks(target, { attacks: which, granted: THOROUGH, withinMs: 120_000 });
}

const LEFT_OUT_WITHOUT_A_SERVER_OF_ITS_OWN = [
  "setup-token",
  "markup-in-setup",
  "setup-race",
  "enumeration-by-time",
  "log-forging",
  "heavy-bodies",
  "slow-bodies",
];

function assertNothingGotThrough(results: readonly Result[]): void {
  const leftOut = results.filter(({ outcome }) => outcome === "left-out");
  assert.deepEqual(
    leftOut.map(({ attack }) => attack.name),
    LEFT_OUT_WITHOUT_A_SERVER_OF_ITS_OWN,
  );
  const notPassed = results.filter(({ outcome }) => outcome !== "passed" && outcome !== "left-out");
  assert.deepEqual(
    notPassed.map(({ attack, outcome, findings }) => ({ name: attack.name, outcome, findings })),
    [],
  );
}

test("nothing gets through at the gate by itself", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  assertNothingGotThrough(await attackWithAccount(gate.url, []));
});

test("nothing gets through at a gate that shares its session with a domain", async (t) => {
  const shared = { publicUrl: "https://auth.door.test", cookieDomain: "door.test" };
  const gate = await startGate(t, { ...shared, trustedProxies: ["127.0.0.9"] });
  await gate.setUp();
  assertNothingGotThrough(await attackWithAccount(gate.url, []));
});

async function attackApp(t: TestContext, basePath: string): Promise<readonly Result[]> {
  const app = await startApp(t, { basePath });
  const form = { ...OWNER, confirm: OWNER.password };
  await send(`${app.url}${basePath}/setup`, { form });
  return attackWithAccount(`${app.url}${basePath}`, ["/operation", "/handler"]);
}

test("nothing gets through at an application with the library", async (t) => {
  assertNothingGotThrough(await attackApp(t, ""));
});

test("nothing gets through at one that has the library under a path of its own", async (t) => {
  assertNothingGotThrough(await attackApp(t, "/door"));
});

whereInstalled("nginx", (program) => {
  test("nothing gets through at an application behind nginx and the gate", async (t) => {
    const site = await startSite(t, nginx(program), "One host");
    await site.gate.setUp();
    assertNothingGotThrough(await attackWithAccount(site.proxyUrl, ["/app", "/app/page.html"]));
    assert.deepEqual(
      site.app.arrivals.filter(({ headers }) => headers.cookie === undefined),
      [],
    );
  });
});

test("the way back is looked at where the session is shared by a domain, too", async (t) => {
  const gate = await startGate(t, { cookieDomain: "elsewhere.example" });
  await gate.setUp();
  const [redirects] = await attackWithAccount(gate.url, [], [attackNamed("open-redirects")]);
  assert.equal(redirects?.outcome, "got-through");
  assert.match(redirects.findings.join("\n"), /leads to https:\/\/elsewhere\.example\//);
});
