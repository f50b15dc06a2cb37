import assert from "node:assert/strict";
import { test } from "node:test";
import {
  byOperator,
  type Event,
  type EventType,
  eventIn,
  eventOf,
  eventTypes,
} from "../../../src/core/log/events.ts";

type Row = readonly [EventType, subject: string | number | undefined, Event["author"], string];

const rows: readonly Row[] = [
  ["signin", "owner", "system", "Signed in as owner"],
  ["signin_rate_limited", "2001:db8::1", "system", "Rate limited login from 2001:db8::1"],
  ["signup", "owner", "system", "Created account owner"],
  ["password_change", undefined, "system", "Changed password"],
  ["session_end", "owner", "system", "Ended a session of owner"],
  ["session_end_others", "owner", "system", "Ended the other sessions of owner"],
  ["codes_on", "owner", "system", "Turned on one-time codes of owner"],
  ["codes_off", "owner", "system", "Turned off one-time codes of owner"],
  ["code_rejected", "owner", "system", "Wrong one-time code after the right password of owner"],
  [
    ...(["codes_locked", "owner", "system"] as const),
    "After 100 wrong one-time codes, only a recovery code or latchkey user codes off unlocks those of owner",
  ],
  ["recovery_code_used", "owner", "system", "Used a recovery code of owner"],
  ["passkey_add", "owner", "system", "Added a passkey to owner"],
  ["passkey_remove", "owner", "system", "Removed a passkey of owner"],
  ["user_add", "guest", "cli", "Added account guest"],
  ["user_password", "guest", "cli", "Set the password of guest"],
  ["user_rename", "host", "cli", "Renamed account to host"],
  ["user_remove", "host", "cli", "Removed account host"],
  ["user_sign_out", "host", "cli", "Ended the sessions of host"],
  ["user_sign_out_all", undefined, "cli", "Ended all sessions"],
  ["user_import", 3, "cli", "Imported accounts: 3"],
];

for (const [type, subject, author, summary] of rows) {
  test(`an entry of the type ${type} by ${author} reads: ${summary}`, () => {
    assert.deepEqual(eventOf(type, subject), { type, summary, author });
  });
}

test("every type is above", () => {
  assert.deepEqual(
    rows.map(([type]) => type),
    [...eventTypes],
  );
});

test("names the operator as the author of an event that a command caused", () => {
  assert.deepEqual(byOperator(eventOf("session_end", "owner")), {
    ...eventOf("session_end", "owner"),
    author: "cli",
  });
});

for (const [event, subject] of [
  [eventOf("signin", "owner"), "owner"],
  [eventOf("signin", " Signed in as \n\0<b>%s "), " Signed in as \n\0<b>%s "],
  [eventOf("signup", ""), ""],
  [eventOf("signin_rate_limited", "2001:db8::1"), "2001:db8::1"],
  [eventOf("password_change"), ""],
] as const) {
  test(`parses ${JSON.stringify(event.summary)} into its type and subject`, () => {
    assert.deepEqual(eventIn(event), { type: event.type, subject });
  });
}

for (const [type, summary] of [
  ["signout", "Signed in as owner"],
  ["constructor", "Signed in as owner"],
  ["signin", "signed in as owner"],
  ["signin", "Created account owner"],
] as const) {
  test(`does not parse the type ${type} with the text ${JSON.stringify(summary)}`, () => {
    assert.equal(eventIn({ type, summary }), undefined);
  });
}
