import assert from "node:assert/strict";
import { test } from "node:test";
import {
  attributeToAdmin,
  attributeToOperator,
  createAuditEvent,
  type EventType,
  eventTypes,
} from "../../src/audit/events.ts";
import type { UserId } from "../../src/db/records.ts";

const USER = { id: "1" as UserId, username: "owner" };
const ADDRESS = "2001:db8::1";

type Facts = Parameters<typeof createAuditEvent>[1];

/** Where they are more than the user. */
const others: Partial<Record<EventType, Facts>> = {
  signin_rate_limited: { client: { remoteAddress: ADDRESS } },
  user_sign_out_all: {},
  link_make: { user: USER, name: "1 reset" },
  link_revoke: { name: "1 invite" },
  app_add: { name: "photos" },
  app_change: { name: "photos" },
  app_remove: { name: "photos" },
  app_secret: { name: "photos" },
  app_secret_revoke: { name: "photos" },
  app_keys: {},
  app_signin: { user: USER, name: "photos" },
  app_refused: { user: USER, name: "photos" },
  app_consent: { user: USER, name: "photos" },
  app_consent_revoke: { user: USER, name: "photos" },
  message_lost: { name: "ada@example.org" },
  user_import: { count: 3 },
  name_forget: { name: "carol" },
  repeated: { name: "70 × password_change" },
};

const summaries: Readonly<Record<EventType, string>> = {
  signin: "Signed in as owner",
  signin_rate_limited: `Rate limited login from ${ADDRESS}`,
  signup: "Created account owner",
  password_change: "Changed password",
  session_end: "Ended a session of owner",
  session_end_others: "Ended the other sessions of owner",
  codes_on: "Turned on one-time codes of owner",
  codes_off: "Turned off one-time codes of owner",
  factors_off: "Removed the one-time codes and passkeys of owner, and ended the sessions",
  code_rejected: "Wrong one-time code after the right password of owner",
  codes_locked:
    "After 100 wrong one-time codes, only a recovery code or latchkey user codes off unlocks those of owner",
  recovery_code_used: "Used a recovery code of owner",
  recovery_codes_new: "Replaced the recovery codes of owner",
  device_add: "Remembered a device of owner, which needs no code",
  device_remove: "Forgot a remembered device of owner",
  passkey_add: "Added a passkey to owner",
  passkey_remove: "Removed a passkey of owner",
  key_add: "Added a key to owner",
  key_revoke: "Revoked a key of owner",
  user_add: "Added account owner",
  user_password: "Set the password of owner",
  user_groups: "Set the groups of owner",
  user_profile: "Set the name or the e-mail address of owner",
  email_confirm: "Confirmed the e-mail address of owner",
  password_reset: "Set a new password of owner with a one-time link",
  password_ask: "Asked for a new password of owner by mail",
  sessions_end_link: "Ended all sessions of owner with the link in a message",
  message_lost: "Gave up sending a message: ada@example.org",
  user_rename: "Renamed account to owner",
  user_remove: "Removed account owner",
  name_forget: "Freed the username carol",
  user_sign_out: "Ended the sessions of owner",
  user_sign_out_all: "Ended all sessions",
  link_make: "Made a one-time link: 1 reset",
  link_revoke: "Revoked a one-time link: 1 invite",
  link_use: "Used a one-time link as owner",
  app_add: "Added the app photos",
  app_change: "Changed the app photos",
  app_remove: "Removed the app photos",
  app_secret: "Made a secret of the app photos",
  app_secret_revoke: "Revoked a secret of the app photos",
  app_keys: "Made new signing keys",
  app_signin: "Signed in to the app photos",
  app_refused: "Refused at the app photos",
  app_consent: "Agreed to what the app photos learns",
  app_consent_revoke: "Took back the access of the app photos",
  user_import: "Imported accounts: 3",
  repeated: "More entries of one type within a minute: 70 × password_change",
};

test("each type of entry has a summary and the facts that it is made of", () => {
  assert.deepEqual(Object.keys(summaries), eventTypes);
  for (const type of eventTypes) {
    const facts: Facts = others[type] ?? { user: USER };
    const event = createAuditEvent(type, facts);
    assert.partialDeepStrictEqual(event, { type, summary: summaries[type], author: "system" });
    assert.equal(event.userId, facts.user?.id);
    assert.equal(event.subject, facts.name ?? facts.user?.username ?? facts.count?.toString());
    assert.equal(event.address, facts.client?.remoteAddress);
  }
});

test("keeps a username as it is, also one that looks like a part of a summary", () => {
  for (const username of ["{address}", "{subject}", "$& $1", " \n<b>%s ", "", "x".repeat(1_024)]) {
    const event = createAuditEvent("signin", { user: { ...USER, username } });
    assert.deepEqual([event.summary, event.subject], [`Signed in as ${username}`, username]);
  }
});

test("shortens a username of over 1,024 characters, and replaces a NUL", () => {
  const username = `a\0${"x".repeat(60_000)}`;
  const event = createAuditEvent("signin", { user: { ...USER, username } });
  const shown = `a\ufffd${"x".repeat(1_022)}…`;
  assert.deepEqual([event.summary, event.subject], [`Signed in as ${shown}`, shown]);
  const { author } = attributeToAdmin(event, { ...USER, username }, { remoteAddress: ADDRESS });
  assert.equal(author, `admin ${shown}`);
});

test("names the author of an event that a command or an administrator caused", () => {
  const event = createAuditEvent("session_end", { user: USER });
  assert.deepEqual(attributeToOperator(event), { ...event, author: "cli" });
  const client = { remoteAddress: ADDRESS, userAgent: "curl/8" };
  const facts = { author: "admin ann", address: ADDRESS, device: "curl" };
  const admin = { id: "2" as UserId, username: "ann" };
  assert.deepEqual(attributeToAdmin(event, admin, client), { ...event, ...facts });
});
