import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { send } from "../support/client.ts";
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

test("PostgreSQL: sign-ins above the limit are denied and logged", async (t) => {
  const gate = await start(t);
  await gate.setUp();
  for (let attempt = 1; attempt <= 5; attempt += 1) await gate.signIn({ password: "wrong" });
  const { location, cookies } = await gate.signIn();
  assert.deepEqual([location, cookies], ["/login?error=1", []]);
  const entries = await gate.logEntries(2);
  assert.equal(entries[1]?.type, "signin_rate_limited");
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

test("PostgreSQL: signing out clears the cookie", async (t) => {
  const gate = await start(t);
  const session = await gate.setUp();
  const { location, cookies } = await gate.send("/logout", { method: "POST", session });
  assert.deepEqual([location, cookies], ["/login", ["session=; Path=/; HttpOnly; Max-Age=-1"]]);
});

test("PostgreSQL: forward auth names the user, and the health checks answer", async (t) => {
  const gate = await start(t);
  const session = await gate.setUp();
  const admitted = await gate.send("/forward-auth", { session });
  assert.deepEqual([admitted.status, admitted.headers["remote-user"]], [200, OWNER.username]);
  assert.equal((await gate.send("/forward-auth")).status, 401);
  for (const path of ["/healthz", "/readyz"]) {
    assert.equal((await send(`${gate.url}${path}`)).status, 200);
  }
});
