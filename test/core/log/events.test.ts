import assert from "node:assert/strict";
import { test } from "node:test";
import {
  byOperator,
  type Event,
  type EventType,
  eventOf,
  eventTypes,
} from "../../../src/core/log/events.ts";
import type { UserId } from "../../../src/core/records.ts";

const USER = { id: "1" as UserId, username: "owner" };
const ADDRESS = "2001:db8::1";

type Facts = Parameters<typeof eventOf>[1];
const OF_USER: Facts = { user: USER };
type Row = readonly [EventType, Event["author"], summary: string, facts?: Facts];

const rows: readonly Row[] = [
  ["signin", "system", "Signed in as owner"],
  [
    "signin_rate_limited",
    "system",
    `Rate limited login from ${ADDRESS}`,
    { client: { remoteAddress: ADDRESS } },
  ],
  ["signup", "system", "Created account owner"],
  ["password_change", "system", "Changed password"],
  ["session_end", "system", "Ended a session of owner"],
  ["session_end_others", "system", "Ended the other sessions of owner"],
  ["codes_on", "system", "Turned on one-time codes of owner"],
  ["codes_off", "system", "Turned off one-time codes of owner"],
  [
    "factors_off",
    "cli",
    "Removed the one-time codes and passkeys of owner, and ended the sessions",
  ],
  ["code_rejected", "system", "Wrong one-time code after the right password of owner"],
  [
    "codes_locked",
    "system",
    "After 100 wrong one-time codes, only a recovery code or latchkey user codes off unlocks those of owner",
  ],
  ["recovery_code_used", "system", "Used a recovery code of owner"],
  ["recovery_codes_new", "system", "Replaced the recovery codes of owner"],
  ["device_add", "system", "Remembered a device of owner, which needs no code"],
  ["device_remove", "system", "Forgot a remembered device of owner"],
  ["passkey_add", "system", "Added a passkey to owner"],
  ["passkey_remove", "system", "Removed a passkey of owner"],
  ["key_add", "system", "Added a key to owner"],
  ["key_revoke", "system", "Revoked a key of owner"],
  ["user_add", "cli", "Added account owner"],
  ["user_password", "cli", "Set the password of owner"],
  ["user_groups", "cli", "Set the groups of owner"],
  ["user_rename", "cli", "Renamed account to owner"],
  ["user_remove", "cli", "Removed account owner"],
  ["user_sign_out", "cli", "Ended the sessions of owner"],
  ["user_sign_out_all", "cli", "Ended all sessions", {}],
  ["link_make", "cli", "Made a one-time link: 1 reset", { user: USER, name: "1 reset" }],
  ["link_revoke", "cli", "Revoked a one-time link: 1 invite", { name: "1 invite" }],
  ["link_use", "system", "Used a one-time link as owner"],
  ["user_import", "cli", "Imported accounts: 3", { count: 3 }],
];

for (const [type, author, summary, facts = OF_USER] of rows) {
  test(`an entry of the type ${type} by ${author} reads: ${summary}`, () => {
    const event = eventOf(type, facts);
    assert.partialDeepStrictEqual(event, { type, summary, author });
    assert.equal(event.userId, facts.user?.id);
    assert.equal(event.subject, facts.name ?? facts.user?.username ?? facts.count?.toString());
    assert.equal(event.address, facts.client?.remoteAddress);
  });
}

test("every type is above", () => {
  assert.deepEqual(
    rows.map(([type]) => type),
    [...eventTypes],
  );
});

test("keeps a username as it is, also one that looks like a part of a summary", () => {
  for (const username of ["{address}", "{subject}", "$& $1", " \n\0<b>%s ", ""]) {
    const event = eventOf("signin", { user: { ...USER, username } });
    assert.deepEqual([event.summary, event.subject], [`Signed in as ${username}`, username]);
  }
});

test("names the operator as the author of an event that a command caused", () => {
  const event = eventOf("session_end", { user: USER });
  assert.deepEqual(byOperator(event), { ...event, author: "cli" });
});
