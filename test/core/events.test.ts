import assert from "node:assert/strict";
import { test } from "node:test";
import {
  allSignedOut,
  byOperator,
  codesTurnedOff,
  codesTurnedOn,
  type Event,
  eventIn,
  eventTypes,
  logImported,
  otherSessionsEnded,
  passkeyAdded,
  passkeyRemoved,
  passwordChanged,
  rateLimited,
  recoveryCodeUsed,
  sessionEnded,
  signedIn,
  signedUp,
  userAdded,
  userPasswordSet,
  userRemoved,
  userRenamed,
  userSignedOut,
  usersImported,
} from "../../src/core/events.ts";

const built: readonly (readonly [event: Event, type: string, summary: string])[] = [
  [signedIn("owner"), "signin", "Signed in as owner"],
  [rateLimited("2001:db8::1"), "signin_rate_limited", "Rate limited login from 2001:db8::1"],
  [signedUp("owner"), "signup", "Created account owner"],
  [passwordChanged(), "password_change", "Changed password"],
  [sessionEnded("owner"), "session_end", "Ended a session of owner"],
  [otherSessionsEnded("owner"), "session_end_others", "Ended the other sessions of owner"],
  [codesTurnedOn("owner"), "codes_on", "Turned on one-time codes of owner"],
  [codesTurnedOff("owner"), "codes_off", "Turned off one-time codes of owner"],
  [recoveryCodeUsed("owner"), "recovery_code_used", "Used a recovery code of owner"],
  [passkeyAdded("owner"), "passkey_add", "Added a passkey to owner"],
  [passkeyRemoved("owner"), "passkey_remove", "Removed a passkey of owner"],
];

const byHand: typeof built = [
  [userAdded("guest"), "user_add", "Added account guest"],
  [userPasswordSet("guest"), "user_password", "Set the password of guest"],
  [userRenamed("host"), "user_rename", "Renamed account to host"],
  [userRemoved("host"), "user_remove", "Removed account host"],
  [userSignedOut("host"), "user_sign_out", "Ended the sessions of host"],
  [allSignedOut(), "user_sign_out_all", "Ended all sessions"],
  [usersImported(3), "user_import", "Imported accounts: 3"],
  [logImported(120), "log_import", "Imported log entries: 120"],
];

for (const [author, events] of [
  ["system", built],
  ["cli", byHand],
] as const) {
  for (const [event, type, summary] of events) {
    test(`an entry of the type ${type} by ${author} reads: ${summary}`, () => {
      assert.deepEqual(event, { type, summary, author });
    });
  }
}

test("has one builder for each type", () => {
  assert.deepEqual(
    [...built, ...byHand].map(([{ type }]) => type),
    [...eventTypes],
  );
});

test("names the operator as the author of an event that a command caused", () => {
  assert.deepEqual(byOperator(sessionEnded("owner")), { ...sessionEnded("owner"), author: "cli" });
});

test("puts the username into the summary unchanged", () => {
  const username = " Zoë\n\0<b>%s ";
  assert.equal(signedIn(username).summary, `Signed in as ${username}`);
});

for (const [event, subject] of [
  [signedIn("owner"), "owner"],
  [signedIn(" Signed in as \n<b> "), " Signed in as \n<b> "],
  [signedUp(""), ""],
  [rateLimited("2001:db8::1"), "2001:db8::1"],
  [passwordChanged(), ""],
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
  ["signup", ""],
  ["signout", "undefined"],
] as const) {
  test(`does not parse the type ${type} with the text ${JSON.stringify(summary)}`, () => {
    assert.equal(eventIn({ type, summary }), undefined);
  });
}
