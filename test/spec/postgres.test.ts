import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { changeForm, OWNER, type RunningGate, startGate } from "../support/gate.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";

const server = await sharedPostgres();

/** What the store decides has tests of its own, and all other tests here use SQLite. */
const start = async (t: TestContext): Promise<RunningGate> =>
  startGate(t, { databaseUrl: await server.newDatabase() });

const NEW = "battery staple";
const change = (current: string, next: string) => ({
  form: changeForm(current, next),
});

test("PostgreSQL: the setup creates one account, and its session is admitted", async (t) => {
  const gate = await start(t);
  assert.equal((await gate.send("/")).location, "/setup");
  assert.equal((await gate.send("/setup")).status, 200);
  const session = await gate.setUp();
  assert.equal((await gate.send("/", { session })).status, 200);
  const form = { username: "second", password: NEW, confirm: NEW };
  const second = await gate.send("/setup", { form });
  assert.deepEqual([second.status, second.location, second.cookies], [303, "/login", []]);
  assert.deepEqual(
    (await gate.logEntries(1)).map(({ type }) => type),
    ["signup"],
  );
});

test("PostgreSQL: a sign-in needs the right name and password", async (t) => {
  const gate = await start(t);
  await gate.setUp();
  for (const wrong of [{ password: "wrong" }, { username: "nobody" }]) {
    const refused = await gate.signIn(wrong);
    assert.deepEqual([refused.location, refused.cookies], ["/login?error=1", []]);
  }
  const { location, session } = await gate.signIn();
  assert.equal(location, "/");
  assert.equal((await gate.send("/", { session })).status, 200);
  assert.equal((await gate.send("/", { session: `${session}x` })).location, "/login");
});

test("PostgreSQL: a password change needs the current one; sessions stay valid", async (t) => {
  const gate = await start(t);
  const session = await gate.setUp();
  const wrong = await gate.send("/account/password", { session, ...change("wrong", NEW) });
  assert.equal(wrong.status, 422);
  const changed = await gate.send("/account/password", {
    session,
    ...change(OWNER.password, NEW),
  });
  assert.equal(changed.status, 303);
  assert.equal((await gate.send("/", { session })).status, 200);
  assert.equal((await gate.signIn()).location, "/login?error=1");
  assert.equal((await gate.signIn({ password: NEW })).location, "/");
  assert.deepEqual(
    (await gate.logEntries(3)).map(({ type }) => type),
    ["signup", "password_change", "signin"],
  );
});
