import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { inSeconds, mint } from "../support/mint.ts";
import { openTransaction, untilBlocked } from "../support/postgres-admin.ts";
import type { HoldingBack } from "../support/postgres-recording.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { insertOwner, isAdmitted, startInstance } from "./instance.ts";

const server = await sharedPostgres();

const sessionOf = (userId: string): string => mint({ user_id: userId, exp: inSeconds(3_600) });

const ANY_USER = /EXISTS/;
const FIND_USER = /WHERE id /;

/** Delays the check for an account until the query for the user has been sent too. */
const untilBothAsked: HoldingBack = async (text, asked) => {
  if (!ANY_USER.test(text)) return;
  await eventually(() => asked.some((one) => FIND_USER.test(one.text)) || undefined, 1_500);
};

test("takes one round trip for the first guarded request", async (t) => {
  const url = await server.newDatabase();
  const elsewhere = await startInstance(t, url);
  const session = sessionOf(await insertOwner(elsewhere.store));
  const instance = await startInstance(t, url, untilBothAsked);
  assert.equal(await isAdmitted(instance, session), true);
  assert.ok(instance.questions().length <= 2, instance.questions().join("\n"));
});

test("makes one query for a new session", async (t) => {
  const instance = await startInstance(t, await server.newDatabase());
  const userId = await insertOwner(instance.store);
  assert.equal(await isAdmitted(instance, sessionOf("unknown")), false);
  const before = instance.questions().length;
  assert.equal(await isAdmitted(instance, sessionOf(userId)), true);
  assert.equal(instance.questions().length, before + 1);
});

test("shares one query between concurrent requests for a user", async (t) => {
  const url = await server.newDatabase();
  const instance = await startInstance(t, url);
  const userId = await insertOwner(instance.store);
  const currentUser = (session: string) =>
    instance.auth.currentUser(
      new Request("http://app/", { headers: { cookie: `session=${session}` } }),
    );
  const locking = await openTransaction(t, url);
  await locking.query("LOCK TABLE latchkey_users IN ACCESS EXCLUSIVE MODE");
  const before = instance.questions().length;
  // Different sessions of the same user, so that no session is in the cache.
  const asking = Array.from({ length: 25 }, (_, n) =>
    currentUser(mint({ user_id: userId, exp: inSeconds(3_600 + n) })),
  );
  // Verified after all the others. An expired token causes no query.
  assert.equal(await currentUser(mint({ user_id: userId, exp: inSeconds(-1) })), undefined);
  await untilBlocked(url);
  await locking.end();
  const found = await Promise.all(asking);
  assert.deepEqual(new Set(found.map((user) => user?.username)), new Set(["owner"]));
  assert.equal(instance.questions().length - before, 1);
});

test("makes a query each time for a session of an unknown user", async (t) => {
  const instance = await startInstance(t, await server.newDatabase());
  await insertOwner(instance.store);
  const session = sessionOf("unknown");
  assert.equal(await isAdmitted(instance, session), false);
  const before = instance.questions().length;
  for (let n = 0; n < 3; n += 1) assert.equal(await isAdmitted(instance, session), false);
  assert.equal(instance.questions().length, before + 3);
});
