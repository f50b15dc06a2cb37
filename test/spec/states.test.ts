import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import type { Sending } from "../support/client.ts";
import { countOf } from "../support/database.ts";
import { changeForm, OWNER, type RunningGate, SETUP_FORM, startGate } from "../support/gate.ts";
import { inSeconds, mint } from "../support/mint.ts";

const PASSWORD_FORM = changeForm(OWNER.password, "another password");

interface Row {
  readonly path: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly unconfigured: number | string;
  readonly configured: number | string;
}

/** The response for a signed-out visitor: a status, or the target of a 303. */
const rows: readonly Row[] = [
  { path: "/login", unconfigured: 200, configured: 200 },
  { path: "/setup", unconfigured: 200, configured: "/login" },
  { path: "/", unconfigured: "/setup", configured: "/login" },
  { path: "/login", form: OWNER, unconfigured: "/setup", configured: "/" },
  { path: "/setup", form: {}, unconfigured: 422, configured: "/login" },
  { path: "/logout", form: {}, unconfigured: "/login", configured: "/login" },
  { path: "/account/password", form: {}, unconfigured: "/setup", configured: "/login" },
];

for (const { path, form, unconfigured, configured } of rows) {
  const sending: Sending = form === undefined ? {} : { form };
  const route = `${form === undefined ? "GET" : "POST"} ${path}`;

  test(`${route} answers ${unconfigured} unconfigured, ${configured} configured`, async (t) => {
    const gate = await startGate(t);
    assert.equal(await outcome(gate, path, sending), unconfigured);
    await gate.setUp();
    assert.equal(await outcome(gate, path, sending), configured);
  });
}

async function outcome(gate: RunningGate, path: string, sending: Sending) {
  const { status, location } = await gate.send(path, sending);
  return status === 303 ? location : status;
}

test("rejects a correctly signed token while no account exists", async (t) => {
  const gate = await startGate(t);
  const session = mint({ user_id: "unknown", exp: inSeconds(60) });
  assert.equal(await outcome(gate, "/", { session }), "/setup");
  assert.equal(await outcome(gate, "/account/password", { session, form: {} }), "/setup");
});

test("a valid setup changes the state from unconfigured to configured", async (t) => {
  const gate = await startGate(t);
  await writeFile(gate.setupTokenFile, "the token");
  for (const flaw of [{ token: "wrong" }, { username: "" }, { password: "" }, { confirm: "x" }]) {
    const form = { token: "the token", ...SETUP_FORM, ...flaw };
    await gate.send("/setup", { form });
    assert.equal(await outcome(gate, "/setup", {}), 200, JSON.stringify(flaw));
  }
  assert.equal(countOf(gate.databaseFile, "users"), 0);
  await gate.setUp({ token: "the token" });
  assert.equal(await outcome(gate, "/setup", {}), "/login");
  assert.equal(countOf(gate.databaseFile, "users"), 1);
});

test("a second setup changes nothing: no account, no cookie, no log entry", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const form = { username: "second", password: "second", confirm: "second" };
  const answer = await gate.send("/setup", { form });
  assert.deepEqual([answer.status, answer.location, answer.cookies], [303, "/login", []]);
  assert.equal((await gate.signIn(form)).location, "/login?error=1");
  assert.equal((await gate.signIn()).location, "/");
  assert.equal(countOf(gate.databaseFile, "users"), 1);
  const entries = await gate.logEntries(2);
  assert.deepEqual(
    entries.map(({ type }) => type),
    ["signup", "signin"],
  );
});

test("no operation and no restart makes the service unconfigured again", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  const stillConfigured = async (after: string, asked: RunningGate = gate): Promise<void> => {
    assert.equal(await outcome(asked, "/setup", {}), "/login", after);
    assert.equal(await outcome(asked, "/setup", { form: SETUP_FORM }), "/login", after);
  };
  await gate.signIn();
  await stillConfigured("sign-in");
  await gate.send("/account/password", { session, form: PASSWORD_FORM });
  await stillConfigured("password change");
  await gate.send("/logout", { session, form: {} });
  await stillConfigured("sign-out");
  await writeFile(gate.setupTokenFile, "a new token");
  await stillConfigured("a new setup token file");
  for (const method of ["DELETE", "PUT", "PATCH"]) {
    await gate.send("/setup", { method, session });
    await stillConfigured(`${method} /setup`);
  }
  await gate.stop();
  const again = await startGate(t, { dataDir: gate.dataDir });
  await stillConfigured("restart", again);
});

test("a setup at one gate takes effect at another gate with the same database", async (t) => {
  const gate = await startGate(t);
  const other = await startGate(t, { dataDir: gate.dataDir });
  assert.equal(await outcome(other, "/setup", {}), 200);
  const session = await gate.setUp();
  assert.equal(await outcome(other, "/setup", {}), "/login");
  assert.equal(await outcome(other, "/", { session }), 200);
});
