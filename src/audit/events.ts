import type { NewLogEntry, User } from "../db/records.ts";
import { type Client, describeClient } from "../lib/client.ts";

/** Describes what happened: an entry of the audit log without its time. */
export interface NewAuditEvent extends Omit<NewLogEntry, "at"> {
  readonly type: EventType;
  /**
   * The author is the service itself, an operator at the command line, the check of an app, or an
   * administrator with the username.
   */
  readonly author: "system" | "cli" | typeof APP_CHECK | `admin ${string}`;
}

/** The sessions that this command makes are not those of a person. */
export const APP_CHECK = "latchkey app check";

/** Maps each type to its summary. */
const summaries = {
  signin: "Signed in as {subject}",
  signin_rate_limited: "Rate limited login from {address}",
  signup: "Created account {subject}",
  password_change: "Changed password",
  session_end: "Ended a session of {subject}",
  session_end_others: "Ended the other sessions of {subject}",
  codes_on: "Turned on one-time codes of {subject}",
  codes_off: "Turned off one-time codes of {subject}",
  factors_off: "Removed the one-time codes and passkeys of {subject}, and ended the sessions",
  code_rejected: "Wrong one-time code after the right password of {subject}",
  codes_locked:
    "After 100 wrong one-time codes, only a recovery code or latchkey user codes off unlocks those of {subject}",
  recovery_code_used: "Used a recovery code of {subject}",
  recovery_codes_new: "Replaced the recovery codes of {subject}",
  device_add: "Remembered a device of {subject}, which needs no code",
  device_remove: "Forgot a remembered device of {subject}",
  passkey_add: "Added a passkey to {subject}",
  passkey_remove: "Removed a passkey of {subject}",
  key_add: "Added a key to {subject}",
  key_revoke: "Revoked a key of {subject}",
  user_add: "Added account {subject}",
  user_password: "Set the password of {subject}",
  user_groups: "Set the groups of {subject}",
  user_profile: "Set the name or the e-mail address of {subject}",
  email_confirm: "Confirmed the e-mail address of {subject}",
  password_reset: "Set a new password of {subject} with a one-time link",
  password_ask: "Asked for a new password of {subject} by mail",
  sessions_end_link: "Ended all sessions of {subject} with the link in a message",
  message_lost: "Gave up sending a message: {subject}",
  user_rename: "Renamed account to {subject}",
  user_remove: "Removed account {subject}",
  name_forget: "Freed the username {subject}",
  user_sign_out: "Ended the sessions of {subject}",
  user_sign_out_all: "Ended all sessions",
  link_make: "Made a one-time link: {subject}",
  link_revoke: "Revoked a one-time link: {subject}",
  link_use: "Used a one-time link as {subject}",
  app_add: "Added the app {subject}",
  app_change: "Changed the app {subject}",
  app_remove: "Removed the app {subject}",
  app_secret: "Made a secret of the app {subject}",
  app_secret_revoke: "Revoked a secret of the app {subject}",
  app_keys: "Made new signing keys",
  app_signin: "Signed in to the app {subject}",
  app_refused: "Refused at the app {subject}",
  app_consent: "Agreed to what the app {subject} learns",
  app_consent_revoke: "Took back the access of the app {subject}",
  user_import: "Imported accounts: {subject}",
  repeated: "More entries of one type within a minute: {subject}",
} as const;

export type EventType = keyof typeof summaries;

export const eventTypes: readonly EventType[] = Object.keys(summaries) as EventType[];

/** Names a kind of events, by which administrators filter the log. */
export type EventKind =
  | "signIns"
  | "passwords"
  | "factors"
  | "keys"
  | "people"
  | "links"
  | "apps"
  | "warnings";

const kinds: Readonly<Record<EventType, Exclude<EventKind, "warnings">>> = {
  signin: "signIns",
  signin_rate_limited: "signIns",
  signup: "people",
  password_change: "passwords",
  session_end: "signIns",
  session_end_others: "signIns",
  codes_on: "factors",
  codes_off: "factors",
  factors_off: "factors",
  code_rejected: "factors",
  codes_locked: "factors",
  recovery_code_used: "factors",
  recovery_codes_new: "factors",
  device_add: "factors",
  device_remove: "factors",
  passkey_add: "factors",
  passkey_remove: "factors",
  key_add: "keys",
  key_revoke: "keys",
  user_add: "people",
  user_password: "passwords",
  user_groups: "people",
  user_profile: "people",
  email_confirm: "people",
  password_reset: "passwords",
  password_ask: "passwords",
  sessions_end_link: "signIns",
  message_lost: "people",
  user_rename: "people",
  user_remove: "people",
  name_forget: "people",
  user_sign_out: "signIns",
  user_sign_out_all: "signIns",
  link_make: "links",
  link_revoke: "links",
  link_use: "links",
  app_add: "apps",
  app_change: "apps",
  app_remove: "apps",
  app_secret: "apps",
  app_secret_revoke: "apps",
  app_keys: "apps",
  app_signin: "apps",
  app_refused: "apps",
  app_consent: "apps",
  app_consent_revoke: "apps",
  user_import: "people",
  repeated: "signIns",
};

/** Lists the types that can mean an attack. Pages show such an entry as a problem. */
export const alarmingEvents: ReadonlySet<string> = new Set<EventType>([
  "signin_rate_limited",
  "code_rejected",
  "codes_locked",
  "recovery_code_used",
  "factors_off",
  "app_refused",
  "sessions_end_link",
  "message_lost",
]);

/** Lists the types of each kind, in the order of a page. Warnings are of other kinds, too. */
export const eventKinds: ReadonlyMap<EventKind, readonly string[]> = new Map<
  EventKind,
  readonly string[]
>([["warnings", [...alarmingEvents]], ...Map.groupBy(eventTypes, (type) => kinds[type])]);

/** Any client can cause events of this type, in any number. */
export const DENIAL: EventType = "signin_rate_limited";

interface Facts {
  /** The event concerns this user, who sees the entry in the account. */
  readonly user?: User | undefined;
  /** The name replaces the username as the subject of the event. */
  readonly name?: string;
  /** The event concerns this number of accounts. */
  readonly count?: number;
  /** This client sent the request. */
  readonly client?: Client | undefined;
}

/** The limit is in characters. The setup accepts longer usernames, which would fill the log. */
const MAX_SUBJECT = 1_024;

/**
 * Returns a name as entries contain it: shortened, and without NULs, which not every store can
 * keep.
 */
function sanitizeSubject(name: string): string {
  const text = name.replaceAll("\0", "\ufffd");
  return text.length <= MAX_SUBJECT ? text : `${text.slice(0, MAX_SUBJECT).toWellFormed()}…`;
}

/**
 * Creates an event, caused by the service itself, with its facts and the summary made from them.
 */
export function createAuditEvent(
  type: EventType,
  { user, name, count, client }: Facts,
): NewAuditEvent {
  const fullSubject = name ?? user?.username ?? count?.toString();
  const subject = fullSubject === undefined ? undefined : sanitizeSubject(fullSubject);
  const facts = {
    ...(user && { userId: user.id }),
    ...(subject !== undefined && { subject }),
    ...(client && describeClient(client)),
  };
  const { address = "" } = facts;
  const values = { "{subject}": subject ?? "", "{address}": address };
  const summary = summaries[type].replace(/\{\w+\}/, (part) => values[part as keyof typeof values]);
  return { type, summary, author: "system", ...facts };
}

/** Returns the same event, attributed to an administrator. */
export const attributeToAdmin = (
  event: NewAuditEvent,
  { username }: User,
  client: Client,
): NewAuditEvent => ({
  ...event,
  ...describeClient(client),
  author: `admin ${sanitizeSubject(username)}`,
});

/** Returns the same event, attributed to a command. */
export const attributeToOperator = (event: NewAuditEvent): NewAuditEvent => ({
  ...event,
  author: "cli",
});
