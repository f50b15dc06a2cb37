/** An event of the audit log, made by the builder of its type. */
export interface Event {
  readonly type: EventType;
  readonly summary: string;
  /** The service itself, or an operator at the command line. */
  readonly author: "system" | "cli";
}

export const eventTypes = [
  "signin",
  "signin_rate_limited",
  "signup",
  "password_change",
  "user_add",
  "user_password",
  "user_rename",
  "user_remove",
  "user_sign_out",
  "user_sign_out_all",
  "user_import",
  "log_import",
] as const;

export type EventType = (typeof eventTypes)[number];

/** The start of each summary, before its subject. */
const prefixes: Readonly<Record<EventType, string>> = {
  signin: "Signed in as ",
  signin_rate_limited: "Rate limited login from ",
  signup: "Created account ",
  password_change: "Changed password",
  user_add: "Added account ",
  user_password: "Set the password of ",
  user_rename: "Renamed account to ",
  user_remove: "Removed account ",
  user_sign_out: "Ended the sessions of ",
  user_sign_out_all: "Ended all sessions",
  user_import: "Imported accounts: ",
  log_import: "Imported log entries: ",
};

export const signedIn = (username: string): Event => eventOf("system", "signin", username);

export const rateLimited = (remoteAddress: string): Event =>
  eventOf("system", "signin_rate_limited", remoteAddress);

export const signedUp = (username: string): Event => eventOf("system", "signup", username);

export const passwordChanged = (): Event => eventOf("system", "password_change", "");

export const userAdded = (username: string): Event => eventOf("cli", "user_add", username);

export const userPasswordSet = (username: string): Event =>
  eventOf("cli", "user_password", username);

export const userRenamed = (username: string): Event => eventOf("cli", "user_rename", username);

export const userRemoved = (username: string): Event => eventOf("cli", "user_remove", username);

export const userSignedOut = (username: string): Event => eventOf("cli", "user_sign_out", username);

export const allSignedOut = (): Event => eventOf("cli", "user_sign_out_all", "");

export const usersImported = (count: number): Event => eventOf("cli", "user_import", String(count));

export const logImported = (count: number): Event => eventOf("cli", "log_import", String(count));

const eventOf = (author: Event["author"], type: EventType, subject: string): Event => ({
  type,
  summary: `${prefixes[type]}${subject}`,
  author,
});

/** Parses an entry into its type and its subject: the username, address or number. */
export function eventIn(entry: {
  readonly type: string;
  readonly summary: string;
}): { readonly type: EventType; readonly subject: string } | undefined {
  const type = eventTypes.find((one) => one === entry.type);
  if (type === undefined || !entry.summary.startsWith(prefixes[type])) return undefined;
  return { type, subject: entry.summary.slice(prefixes[type].length) };
}
