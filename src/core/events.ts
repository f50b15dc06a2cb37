/** What the service writes into its internal log: one builder for each type of entry. */
export interface Event {
  readonly type: EventType;
  readonly summary: string;
  readonly author: "system";
}

export const eventTypes = ["signin", "signin_rate_limited", "signup", "password_change"] as const;

export type EventType = (typeof eventTypes)[number];

export const signedIn = (username: string): Event => written("signin", `Signed in as ${username}`);

export const rateLimited = (remoteAddress: string): Event =>
  written("signin_rate_limited", `Rate limited login from ${remoteAddress}`);

export const signedUp = (username: string): Event =>
  written("signup", `Created account ${username}`);

export const passwordChanged = (): Event => written("password_change", "Changed password");

function written(type: EventType, summary: string): Event {
  return { type, summary, author: "system" };
}
