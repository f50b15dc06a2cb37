import assert from "node:assert/strict";
import { test } from "node:test";
import { changeForm, OWNER, startGate } from "../support/gate.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";

const server = await sharedPostgres();
const NEW = "battery staple";

/** What the store decides has tests of its own, and all other tests here use SQLite. */
test("PostgreSQL: setup, sign-in and password change, with their refusals", async (t) => {
  const gate = await startGate(t, { databaseUrl: await server.newDatabase() });
  assert.equal((await gate.send("/")).location, "/setup");
  assert.equal((await gate.send("/setup")).status, 200);
  const session = await gate.setUp();
  assert.equal((await gate.send("/account/profile", { session })).status, 200);
  assert.equal(
    (await gate.send("/account/profile", { session: `${session}x` })).location,
    "/login",
  );
  const form = { username: "second", password: NEW, confirm: NEW };
  const second = await gate.send("/setup", { form });
  assert.deepEqual([second.status, second.location, second.cookies], [303, "/login", []]);

  for (const wrong of [{ password: "wrong" }, { username: "nobody" }]) {
    const refused = await gate.signIn(wrong);
    assert.deepEqual([refused.location, refused.cookies], ["/login?error=1", []]);
  }
  const signedIn = await gate.signIn();
  assert.equal((await gate.send("/account/profile", { session: signedIn.session })).status, 200);

  const change = (current: string) =>
    gate.send("/account/password", { session, form: changeForm(current, NEW) });
  assert.equal((await change("wrong")).status, 422);
  assert.equal((await change(OWNER.password)).status, 303);
  assert.equal((await gate.send("/account/profile", { session })).status, 200);
  assert.equal((await gate.signIn()).location, "/login?error=1");
  assert.equal((await gate.signIn({ password: NEW })).location, "/");
  const types = (await gate.logEntries(4)).map(({ type }) => type);
  assert.deepEqual(types, ["signup", "signin", "password_change", "signin"]);
});
