import { type Client, clientFacts } from "../limits/requester.ts";
import type { NewLogEntry, User } from "../records.ts";

/** What happened: an entry of the audit log without its time. */
export interface Event extends Omit<NewLogEntry, "at"> {
  readonly type: EventType;
  /** The service itself, an operator at the command line, or an administrator by the username. */
  readonly author: "system" | "cli" | `admin ${string}`;
}

/** The usual author of each type, and its summary. */
const forms = {
  signin: ["system", "Signed in as {subject}"],
  signin_rate_limited: ["system", "Rate limited login from {address}"],
  signup: ["system", "Created account {subject}"],
  password_change: ["system", "Changed password"],
  session_end: ["system", "Ended a session of {subject}"],
  session_end_others: ["system", "Ended the other sessions of {subject}"],
  codes_on: ["system", "Turned on one-time codes of {subject}"],
  codes_off: ["system", "Turned off one-time codes of {subject}"],
  factors_off: [
    "cli",
    "Removed the one-time codes and passkeys of {subject}, and ended the sessions",
  ],
  code_rejected: ["system", "Wrong one-time code after the right password of {subject}"],
  codes_locked: [
    "system",
    "After 100 wrong one-time codes, only a recovery code or latchkey user codes off unlocks those of {subject}",
  ],
  recovery_code_used: ["system", "Used a recovery code of {subject}"],
  recovery_codes_new: ["system", "Replaced the recovery codes of {subject}"],
  device_add: ["system", "Remembered a device of {subject}, which needs no code"],
  device_remove: ["system", "Forgot a remembered device of {subject}"],
  passkey_add: ["system", "Added a passkey to {subject}"],
  passkey_remove: ["system", "Removed a passkey of {subject}"],
  key_add: ["system", "Added a key to {subject}"],
  key_revoke: ["system", "Revoked a key of {subject}"],
  user_add: ["cli", "Added account {subject}"],
  user_password: ["cli", "Set the password of {subject}"],
  user_groups: ["cli", "Set the groups of {subject}"],
  user_rename: ["cli", "Renamed account to {subject}"],
  user_remove: ["cli", "Removed account {subject}"],
  user_sign_out: ["cli", "Ended the sessions of {subject}"],
  user_sign_out_all: ["cli", "Ended all sessions"],
  link_make: ["cli", "Made a one-time link: {subject}"],
  link_revoke: ["cli", "Revoked a one-time link: {subject}"],
  link_use: ["system", "Used a one-time link as {subject}"],
  user_import: ["cli", "Imported accounts: {subject}"],
} as const;

export type EventType = keyof typeof forms;

export const eventTypes: readonly EventType[] = Object.keys(forms) as EventType[];

/** The type that any client can cause, and so in any number. */
export const DENIAL: EventType = "signin_rate_limited";

interface Facts {
  /** Whom the event concerns: this user sees the entry at home. */
  readonly user?: User | undefined;
  /** What it concerns, if that is more than the user. */
  readonly name?: string;
  /** How many accounts it concerns. */
  readonly count?: number;
  /** Who sent the request. */
  readonly client?: Client | undefined;
}

/** The event with its facts, and with the summary that is made of them. */
export function eventOf(type: EventType, { user, name, count, client }: Facts): Event {
  const [author, summary] = forms[type];
  const subject = name ?? user?.username ?? count?.toString();
  const facts = {
    ...(user && { userId: user.id }),
    ...(subject !== undefined && { subject }),
    ...(client && clientFacts(client)),
  };
  const { address = "" } = facts;
  const parts = { "{subject}": subject ?? "", "{address}": address };
  const text = summary.replace(/\{\w+\}/, (part) => parts[part as keyof typeof parts]);
  return { type, summary: text, author, ...facts };
}

/** The same event, caused by an administrator. */
export const byAdmin = (event: Event, { username }: User, client: Client): Event => ({
  ...event,
  ...clientFacts(client),
  author: `admin ${username}`,
});

/** The same event, caused by the service itself. */
export const bySystem = (event: Event): Event => ({ ...event, author: "system" });

/** The same event, caused by a command. */
export const byOperator = (event: Event): Event => ({ ...event, author: "cli" });
