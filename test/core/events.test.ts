import assert from "node:assert/strict";
import { test } from "node:test";
import { byOperator, type EventType, eventIn, eventOf, eventTypes } from "../../src/core/events.ts";

type Row = readonly [type: EventType, subject: string | number | undefined, summary: string];

const bySystem: readonly Row[] = [
  ["signin", "owner", "Signed in as owner"],
  ["signin_rate_limited", "2001:db8::1", "Rate limited login from 2001:db8::1"],
  ["signup", "owner", "Created account owner"],
  ["password_change", undefined, "Changed password"],
  ["session_end", "owner", "Ended a session of owner"],
  ["session_end_others", "owner", "Ended the other sessions of owner"],
  ["codes_on", "owner", "Turned on one-time codes of owner"],
  ["codes_off", "owner", "Turned off one-time codes of owner"],
  ["recovery_code_used", "owner", "Used a recovery code of owner"],
  ["passkey_add", "owner", "Added a passkey to owner"],
  ["passkey_remove", "owner", "Removed a passkey of owner"],
];

const byHand: readonly Row[] = [
  ["user_add", "guest", "Added account guest"],
  ["user_password", "guest", "Set the password of guest"],
  ["user_rename", "host", "Renamed account to host"],
  ["user_remove", "host", "Removed account host"],
  ["user_sign_out", "host", "Ended the sessions of host"],
  ["user_sign_out_all", undefined, "Ended all sessions"],
  ["user_import", 3, "Imported accounts: 3"],
  ["log_import", 120, "Imported log entries: 120"],
];

for (const [author, rows] of [
  ["system", bySystem],
  ["cli", byHand],
] as const) {
  for (const [type, subject, summary] of rows) {
    test(`an entry of the type ${type} by ${author} reads: ${summary}`, () => {
      assert.deepEqual(eventOf(type, subject), { type, summary, author });
    });
  }
}

test("every type is above", () => {
  assert.deepEqual(
    [...bySystem, ...byHand].map(([type]) => type),
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
