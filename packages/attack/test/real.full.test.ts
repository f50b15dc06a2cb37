import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { nginx } from "../../../test/proxies/nginx.ts";
import { whereInstalled } from "../../../test/proxies/program.ts";
import { atAddress, startSite } from "../../../test/proxies/site.ts";
import { startApp } from "../../../test/support/app.ts";
import { send } from "../../../test/support/client.ts";
import { OWNER, startGate } from "../../../test/support/gate.ts";
import type { Attack, Need } from "../src/attack.ts";
import { attacks } from "../src/attacks.ts";
import { findTarget } from "../src/find.ts";
import { type Result, runAttacks } from "../src/run.ts";
import { signInAs } from "../src/target.ts";
import { attackNamed } from "./run-attack.ts";

const GRANTED: ReadonlySet<Need> = new Set(["account", "disturb"]);

/** Like --username and --disturb. */
async function attackWithAccount(
  url: string,
  guarded: readonly string[],
  which: readonly Attack[] = attacks,
): Promise<readonly Result[]> {
  const target = await findTarget({ url, guarded, fresh: false });
  assert.equal(await signInAs(target, OWNER.username, OWNER.password), "signed-in");
  return runAttacks(target, { attacks: which, granted: GRANTED, withinMs: 240_000 });
}

const SKIPPED = [
  "dns-rebinding",
  "setup-token",
  "markup-in-setup",
  "setup-race",
  "header-lists",
  "proxy-headers",
  "enumeration-by-time",
  "log-forging",
  "heavy-bodies",
  "slow-bodies",
  "unread-pipelines",
  "handoff",
  ...attacks.map(({ name }) => name).filter((name) => name.startsWith("oidc-")),
  "administrators-pages",
  "link-origin",
  "token-purposes",
  "session-end",
  "one-time-codes",
];

function assertClean(results: readonly Result[], expected: readonly string[] = SKIPPED): void {
  const skipped = results.filter(({ outcome }) => outcome === "skipped");
  assert.deepEqual(
    skipped.map(({ attack }) => attack.name),
    expected,
  );
  const notPassed = results.filter(({ outcome }) => outcome !== "passed" && outcome !== "skipped");
  assert.deepEqual(
    notPassed.map(({ attack, outcome, findings }) => ({ name: attack.name, outcome, findings })),
    [],
  );
}

async function attackApp(t: TestContext, basePath: string): Promise<readonly Result[]> {
  const app = await startApp(t, { basePath });
  const form = { ...OWNER, confirm: OWNER.password };
  await send(`${app.url}${basePath}/setup`, { form });
  return attackWithAccount(`${app.url}${basePath}`, ["/operation", "/handler"]);
}

test("finds nothing on an app that uses the library", async (t) => {
  assertClean(await attackApp(t, ""));
});

test("finds nothing on an app that mounts the library below a path", async (t) => {
  assertClean(await attackApp(t, "/auth"));
});

whereInstalled("nginx", (program) => {
  test("finds nothing on an app behind nginx and the gate", async (t) => {
    const site = await startSite(t, atAddress(nginx(program)), "One host");
    await site.gate.setUp();
    const results = await attackWithAccount(site.proxyUrl, ["/app", "/app/page.html"]);
    // The public URL of this site is plain HTTP, where browsers refuse passkeys.
    const without = SKIPPED.toSpliced(SKIPPED.indexOf("handoff"), 0, "passkey-replay");
    assertClean(results, without);
    assert.notEqual(site.app.arrivals.length, 0);
    assert.deepEqual(
      site.app.arrivals.filter(({ headers }) => headers["remote-user"] !== OWNER.username),
      [],
    );
  });
});

test("detects a redirect to a host of the shared cookie domain", async (t) => {
  const gate = await startGate(t, { cookieDomain: "elsewhere.example" });
  await gate.setUp();
  const [redirects] = await attackWithAccount(gate.url, [], [attackNamed("open-redirects")]);
  assert.equal(redirects?.outcome, "got-through");
  assert.match(redirects.findings.join("\n"), /redirects to https:\/\/elsewhere\.example\//);
});
