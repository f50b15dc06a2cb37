import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserId } from "../../src/db/records.ts";
import { startConfiguredApp } from "../support/app.ts";
import { OWNER, startConfigured, startGate } from "../support/gate.ts";
import { partsOf } from "../support/mint.ts";
import { openStore } from "../support/store.ts";

const ME = "/account/me";
const NOBODY = [401, '{"user":null}', 'Cookie cookie-name="session"'];

test("tells who is signed in, with ID, username and groups", async (t) => {
  const { gate, session } = await startConfigured(t);
  const { user_id: id } = partsOf(session).claims;
  const answer = await gate.send(ME, { session });
  assert.equal(answer.status, 200);
  const about = JSON.parse(answer.body);
  assert.deepEqual(about, { user: { id, username: OWNER.username, groups: ["admins"] } });
  assert.equal(answer.headers["content-type"], "application/json");
  assert.equal(answer.headers["cache-control"], "no-store");
  assert.equal(answer.headers["access-control-allow-origin"], undefined);
});

test("the list of groups is empty for a user in none", async (t) => {
  const store = await openStore(t);
  const { app, session } = await startConfiguredApp(t, { store });
  await store.users.setGroups(partsOf(session).claims.user_id as UserId, []);
  assert.deepEqual(JSON.parse((await app.send(ME, { session })).body).user.groups, []);
});

test("answers 401 before the setup, without a session, and after the sign-out", async (t) => {
  const gate = await startGate(t);
  const ask = async (session?: string) => {
    const { status, body, headers } = await gate.send(ME, { session });
    return [status, body, headers["www-authenticate"]];
  };
  assert.deepEqual(await ask(), NOBODY);
  const session = await gate.setUp();
  assert.deepEqual(await ask(), NOBODY);
  await gate.send("/logout", { session, form: {} });
  assert.deepEqual(await ask(session), NOBODY);
});

test("refuses other hosts and methods", async (t) => {
  const { gate, session } = await startConfigured(t, { allowedHosts: ["127.0.0.1"] });
  const elsewhere = await gate.send(ME, { session, headers: { Host: "attacker.example" } });
  assert.equal(elsewhere.status, 421);
  assert.doesNotMatch(elsewhere.body, /admins/);
  const posted = await gate.send(ME, { session, form: {} });
  assert.deepEqual([posted.status, posted.headers.allow], [405, "GET, HEAD"]);
});
