/** An event of the audit log, made by the builder of its type. */
export interface Event {
  readonly type: EventType;
  readonly summary: string;
  /** The service itself, or an operator at the command line. */
  readonly author: "system" | "cli";
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
  log_import: ["cli", "Imported log entries: "],
} as const;

export type EventType = keyof typeof forms;

export const eventTypes: readonly EventType[] = Object.keys(forms) as EventType[];

/** The type that any client can cause, and so in any number. */
export const DENIAL: EventType = "signin_rate_limited";

function builderOf(type: EventType): (subject?: string | number) => Event {
  const [author, start] = forms[type];
  return (subject = "") => ({ type, summary: `${start}${subject}`, author });
}

type OfName = (username: string) => Event;

export const signedIn: OfName = builderOf("signin");
export const rateLimited: (remoteAddress: string) => Event = builderOf("signin_rate_limited");
export const signedUp: OfName = builderOf("signup");
export const passwordChanged: () => Event = builderOf("password_change");
export const sessionEnded: OfName = builderOf("session_end");
export const otherSessionsEnded: OfName = builderOf("session_end_others");
export const codesTurnedOn: OfName = builderOf("codes_on");
export const codesTurnedOff: OfName = builderOf("codes_off");
export const recoveryCodeUsed: OfName = builderOf("recovery_code_used");
export const passkeyAdded: OfName = builderOf("passkey_add");
export const passkeyRemoved: OfName = builderOf("passkey_remove");
export const userAdded: OfName = builderOf("user_add");
export const userPasswordSet: OfName = builderOf("user_password");
export const userRenamed: OfName = builderOf("user_rename");
export const userRemoved: OfName = builderOf("user_remove");
export const userSignedOut: OfName = builderOf("user_sign_out");
export const allSignedOut: () => Event = builderOf("user_sign_out_all");
export const usersImported: (count: number) => Event = builderOf("user_import");
export const logImported: (count: number) => Event = builderOf("log_import");

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
