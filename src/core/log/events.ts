import type { UserId } from "../store.ts";

/** An event of the audit log; `eventOf` makes it. */
export interface Event {
  readonly type: EventType;
  readonly summary: string;
  /** The service itself, or an operator at the command line. */
  readonly author: "system" | "cli";
  /** Whom it concerns: this user sees the entry at home. */
  readonly userId?: UserId;
}

/** The usual author of each type, and the start of its summary, before its subject. */
const forms = {
  signin: ["system", "Signed in as "],
  signin_rate_limited: ["system", "Rate limited login from "],
  signup: ["system", "Created account "],
  password_change: ["system", "Changed password"],
  session_end: ["system", "Ended a session of "],
  session_end_others: ["system", "Ended the other sessions of "],
  codes_on: ["system", "Turned on one-time codes of "],
  codes_off: ["system", "Turned off one-time codes of "],
  code_rejected: ["system", "Wrong one-time code after the right password of "],
  codes_locked: [
    "system",
    "After 100 wrong one-time codes, only a recovery code or latchkey user codes off unlocks those of ",
  ],
  recovery_code_used: ["system", "Used a recovery code of "],
  passkey_add: ["system", "Added a passkey to "],
  passkey_remove: ["system", "Removed a passkey of "],
  user_add: ["cli", "Added account "],
  user_password: ["cli", "Set the password of "],
  user_rename: ["cli", "Renamed account to "],
  user_remove: ["cli", "Removed account "],
  user_sign_out: ["cli", "Ended the sessions of "],
  user_sign_out_all: ["cli", "Ended all sessions"],
  user_import: ["cli", "Imported accounts: "],
} as const;

export type EventType = keyof typeof forms;

export const eventTypes: readonly EventType[] = Object.keys(forms) as EventType[];

/** The type that any client can cause, and so in any number. */
export const DENIAL: EventType = "signin_rate_limited";

/**
 * @param subject The username, address or number with which the summary ends, if it has one.
 * @param userId The user whom the event concerns, if it is one.
 */
export function eventOf(type: EventType, subject: string | number = "", userId?: UserId): Event {
  const [author, start] = forms[type];
  return { type, summary: `${start}${subject}`, author, ...(userId && { userId }) };
}

/** The same event, caused by a command. */
export const byOperator = (event: Event): Event => ({ ...event, author: "cli" });

/** Parses an entry into its type and its subject: the username, address or number. */
export function eventIn(entry: {
  readonly type: string;
  readonly summary: string;
}): { readonly type: EventType; readonly subject: string } | undefined {
  const type = eventTypes.find((one) => one === entry.type);
  if (type === undefined) return undefined;
  const [, start] = forms[type];
  if (!entry.summary.startsWith(start)) return undefined;
  return { type, subject: entry.summary.slice(start.length) };
}
