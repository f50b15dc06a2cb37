/** What the service writes into its internal log: one builder for each type of entry. */
export interface Event {
  readonly type: EventType;
  readonly summary: string;
  /** The service itself, or whoever works at the command line. */
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

/** How each summary begins; whom or what it is about follows. */
const beginnings: Readonly<Record<EventType, string>> = {
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

export const signedIn = (username: string): Event => bySystem("signin", username);

export const rateLimited = (remoteAddress: string): Event =>
  bySystem("signin_rate_limited", remoteAddress);

export const signedUp = (username: string): Event => bySystem("signup", username);

export const passwordChanged = (): Event => bySystem("password_change", "");

export const userAdded = (username: string): Event => atCommandLine("user_add", username);

export const userPasswordSet = (username: string): Event =>
  atCommandLine("user_password", username);

export const userRenamed = (username: string): Event => atCommandLine("user_rename", username);

export const userRemoved = (username: string): Event => atCommandLine("user_remove", username);

export const userSignedOut = (username: string): Event => atCommandLine("user_sign_out", username);

export const allSignedOut = (): Event => atCommandLine("user_sign_out_all", "");

export const usersImported = (count: number): Event => atCommandLine("user_import", String(count));

export const logImported = (count: number): Event => atCommandLine("log_import", String(count));

const bySystem = (type: EventType, subject: string): Event => ({
  type,
  summary: `${beginnings[type]}${subject}`,
  author: "system",
});

const atCommandLine = (type: EventType, subject: string): Event => ({
  type,
  summary: `${beginnings[type]}${subject}`,
  author: "cli",
});

/** An entry read back: its type, and the username or address that it is about. */
export function eventIn(entry: {
  readonly type: string;
  readonly summary: string;
}): { readonly type: EventType; readonly subject: string } | undefined {
  const type = eventTypes.find((one) => one === entry.type);
  if (type === undefined || !entry.summary.startsWith(beginnings[type])) return undefined;
  return { type, subject: entry.summary.slice(beginnings[type].length) };
}
