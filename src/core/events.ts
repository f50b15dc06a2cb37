/** What the service writes into its internal log: one builder for each type of entry. */
export interface Event {
  readonly type: EventType;
  readonly summary: string;
  readonly author: "system";
}

export const eventTypes = ["signin", "signin_rate_limited", "signup", "password_change"] as const;

export type EventType = (typeof eventTypes)[number];

/** How each summary begins; whom or what it is about follows. */
const beginnings: Readonly<Record<EventType, string>> = {
  signin: "Signed in as ",
  signin_rate_limited: "Rate limited login from ",
  signup: "Created account ",
  password_change: "Changed password",
};

export const signedIn = (username: string): Event => written("signin", username);

export const rateLimited = (remoteAddress: string): Event =>
  written("signin_rate_limited", remoteAddress);

export const signedUp = (username: string): Event => written("signup", username);

export const passwordChanged = (): Event => written("password_change", "");

function written(type: EventType, subject: string): Event {
  return { type, summary: `${beginnings[type]}${subject}`, author: "system" };
}

/** An entry read back: its type, and the username or address that it is about. */
export function eventIn(entry: {
  readonly type: string;
  readonly summary: string;
}): { readonly type: EventType; readonly subject: string } | undefined {
  const type = eventTypes.find((one) => one === entry.type);
  if (type === undefined || !entry.summary.startsWith(beginnings[type])) return undefined;
  return { type, subject: entry.summary.slice(beginnings[type].length) };
}
