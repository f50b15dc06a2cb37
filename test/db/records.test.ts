import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_PASSWORD, toAccount, toPublicUser, toUserId } from "../../src/db/records.ts";
import { hashText } from "../support/store.ts";

test("an app sees a stored user without the hash, and an operator also the ends", () => {
  const user = { id: toUserId("1"), username: "ann", groups: ["family"] };
  const stored = { ...user, passwordHash: hashText("x") };
  const ends = { endsAt: new Date(7_000), sessionsFrom: 5 };
  for (const one of [stored, { ...stored, ...ends }]) assert.deepEqual(toPublicUser(one), user);
  assert.deepEqual(toAccount(stored), user);
  const account = { ...user, endsAt: ends.endsAt, sessionsFrom: new Date(5_000) };
  assert.deepEqual(toAccount({ ...stored, ...ends }), account);
  const guest = { ...stored, passwordHash: NO_PASSWORD, sessionsFrom: 0 };
  assert.deepEqual(toPublicUser(guest), { ...user, guest: true });
  assert.deepEqual(toAccount(guest), { ...user, guest: true, sessionsFrom: new Date(0) });
});

test("a column that only the store knows is published to no app", () => {
  const stored = { id: toUserId("1"), username: "ann", passwordHash: hashText("x") };
  const published = { id: "1", username: "ann" };
  const later = { ...stored, email: "ann@home.example" };
  assert.deepEqual(toPublicUser(later), published);
  assert.deepEqual(toAccount(later), published);
});

test("an ID of an app can be a number, as plain JavaScript may have it", () => {
  assert.equal(toUserId(5 as never), "5");
});
