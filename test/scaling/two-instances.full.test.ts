import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { type TestContext, test } from "node:test";
import { whereInstalled } from "../proxies/program.ts";
import { runCommand } from "../support/command.ts";
import { changeForm, OWNER } from "../support/gate.ts";
import { CLIENT, type Installation, type Instance, startInstallation } from "./installation.ts";

const FAILED = "/login?error=1";
const NEW_PASSWORD = "battery staple";

type Check = (two: Installation, t: TestContext) => Promise<void>;

const rule = (name: string, nginx: string, check: Check): void => {
  test(name, async (t) => check(await startInstallation(t, nginx), t));
};

/** Creates the account at one instance and returns its session. */
async function setUp({ ask, one }: Installation): Promise<string> {
  const form = { ...OWNER, confirm: OWNER.password };
  const { session, status, body } = await ask(one, "/setup", { form });
  if (session === undefined) throw new Error(`setup failed: ${status} ${body}`);
  return session;
}

async function changePassword({ ask, one }: Installation, session: string): Promise<void> {
  const form = changeForm(OWNER.password, NEW_PASSWORD);
  assert.equal((await ask(one, "/account/password", { form, session })).status, 303);
}

const hostOf = ({ url }: Instance): string => new URL(url).host;

/** The output of `latchkey log --json`, which can run on any machine with the settings. */
async function shownLog({
  env,
}: Installation): Promise<readonly { readonly id: number; readonly type: string }[]> {
  const { code, stdout, stderr } = await runCommand(["log", "--json"], { env });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

whereInstalled("nginx", (nginx) => {
  rule("accepts an account of one instance at the other", nginx, async (two) => {
    await setUp(two);
    const again = await two.ask(two.other, "/setup");
    assert.deepEqual([again.status, again.location], [303, "/login"]);
    const signIn = await two.ask(two.other, "/login", { form: OWNER });
    assert.deepEqual([signIn.status, signIn.location], [303, "/"]);
    assert.ok(signIn.session);
  });

  rule("accepts a session of either instance at both", nginx, async (two) => {
    const ofOne = await setUp(two);
    const { session: ofOther } = await two.ask(two.other, "/login", { form: OWNER });
    for (const session of [ofOne, ofOther]) {
      for (const instance of [two.one, two.other]) {
        const home = await two.ask(instance, "/", { session });
        assert.equal(home.status, 200);
        assert.match(home.body, /Signed in as owner/);
      }
      assert.equal((await two.visit("/", { session })).status, 200);
    }
  });

  rule("applies a password change of one instance to the other", nginx, async (two) => {
    const session = await setUp(two);
    // So that the other instance has the user in its cache.
    assert.equal((await two.ask(two.other, "/", { session })).status, 200);
    await changePassword(two, session);
    const old = await two.ask(two.other, "/login", { form: OWNER });
    const changed = { ...OWNER, password: NEW_PASSWORD };
    const renewed = await two.ask(two.other, "/login", { form: changed });
    assert.deepEqual([old.location, renewed.location], [FAILED, "/"]);
  });

  rule("allows five attempts in total across instances", nginx, async (two) => {
    await setUp(two);
    const wrong = { ...OWNER, password: "wrong" };
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      assert.equal((await two.visit("/login", { form: wrong })).location, FAILED);
    }
    assert.deepEqual(new Set(await two.asked()), new Set([two.one, two.other].map(hostOf)));

    const denied = [await two.visit("/login", { form: OWNER })];
    denied.push(await two.visit("/login", { form: OWNER }));
    assert.deepEqual(
      denied.map(({ location, session }) => [location, session]),
      [
        [FAILED, undefined],
        [FAILED, undefined],
      ],
    );
    const entries = (await two.logEntries(3)).slice(1);
    const summary = `Rate limited login from ${CLIENT}`;
    assert.deepEqual(
      entries.map((entry) => [entry.type, entry.summary]),
      [
        ["signin_rate_limited", summary],
        ["signin_rate_limited", summary],
      ],
    );
    const elsewhere = await two.visit("/login", { form: OWNER, from: "127.0.0.4" });
    assert.equal(elsewhere.location, "/", "does not limit another client");
  });

  rule("serves all pages when one instance is killed", nginx, async (two) => {
    const session = await setUp(two);
    const visitor = async (): Promise<void> => {
      for (let visits = 40; visits > 0; visits -= 1) {
        assert.equal((await two.visit("/", { session })).status, 200);
      }
    };
    const visiting = Promise.all([visitor(), visitor(), visitor(), visitor()]);
    await two.visit("/", { session });
    two.one.child.kill("SIGKILL");
    await two.one.ended;
    await visiting;
    assert.equal((await two.visit("/login", { form: OWNER })).location, "/");

    const asked = await two.asked();
    assert.ok(asked.includes(hostOf(two.one)), "served requests before it was killed");
    assert.ok(asked.some((tried) => tried === `${hostOf(two.one)}, ${hostOf(two.other)}`));
    assert.ok(asked.at(-1)?.endsWith(hostOf(two.other)));
  });

  rule("writes one log in the order of events", nginx, async (two) => {
    const session = await setUp(two);
    await two.logEntries(1);
    await two.ask(two.other, "/login", { form: OWNER });
    await two.logEntries(2);
    await changePassword(two, session);
    await two.logEntries(3);
    await two.ask(two.other, "/login", { form: { ...OWNER, password: NEW_PASSWORD } });
    await two.logEntries(4);
    const entries = await shownLog(two);
    assert.deepEqual(
      entries.map(({ type }) => type),
      ["signup", "signin", "password_change", "signin"],
    );
    const ids = entries.map(({ id }) => id);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(ids).size, 4);
  });
});

test("documents the complete nginx configuration", async () => {
  const docs = (path: string): Promise<string> =>
    readFile(new URL(`../../docs/${path}`, import.meta.url), "utf8");
  const [, shown] = /```nginx\n(.*?)```/s.exec(await docs("scaling.md")) ?? [];
  assert.equal(shown, await docs("scaling/nginx.conf"));
});
