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

type Row = readonly [EventType, Parameters<typeof eventOf>[1], Event["author"], string];

const rows: readonly Row[] = [
  ["signin", { user: USER }, "system", "Signed in as owner"],
  [
    "signin_rate_limited",
    { client: { remoteAddress: ADDRESS } },
    "system",
    `Rate limited login from ${ADDRESS}`,
  ],
  ["signup", { user: USER }, "system", "Created account owner"],
  ["password_change", { user: USER }, "system", "Changed password"],
  ["session_end", { user: USER }, "system", "Ended a session of owner"],
  ["session_end_others", { user: USER }, "system", "Ended the other sessions of owner"],
  ["codes_on", { user: USER }, "system", "Turned on one-time codes of owner"],
  ["codes_off", { user: USER }, "system", "Turned off one-time codes of owner"],
  [
    "code_rejected",
    { user: USER },
    "system",
    "Wrong one-time code after the right password of owner",
  ],
  [
    "codes_locked",
    { user: USER },
    "system",
    "After 100 wrong one-time codes, only a recovery code or latchkey user codes off unlocks those of owner",
  ],
  ["recovery_code_used", { user: USER }, "system", "Used a recovery code of owner"],
  ["recovery_codes_new", { user: USER }, "system", "Replaced the recovery codes of owner"],
  ["passkey_add", { user: USER }, "system", "Added a passkey to owner"],
  ["passkey_remove", { user: USER }, "system", "Removed a passkey of owner"],
  ["key_add", { user: USER }, "system", "Added a key to owner"],
  ["key_revoke", { user: USER }, "system", "Revoked a key of owner"],
  ["user_add", { user: USER }, "cli", "Added account owner"],
  ["user_password", { user: USER }, "cli", "Set the password of owner"],
  ["user_groups", { user: USER }, "cli", "Set the groups of owner"],
  ["user_rename", { user: USER }, "cli", "Renamed account to owner"],
  ["user_remove", { user: USER }, "cli", "Removed account owner"],
  ["user_sign_out", { user: USER }, "cli", "Ended the sessions of owner"],
  ["user_sign_out_all", {}, "cli", "Ended all sessions"],
  ["link_make", { user: USER, name: "1 reset" }, "cli", "Made a one-time link: 1 reset"],
  ["link_revoke", { name: "1 invite" }, "cli", "Revoked a one-time link: 1 invite"],
  ["link_use", { user: USER }, "system", "Used a one-time link as owner"],
  ["user_import", { count: 3 }, "cli", "Imported accounts: 3"],
];

for (const [type, facts, author, summary] of rows) {
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
