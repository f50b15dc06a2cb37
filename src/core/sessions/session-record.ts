import { type Client, clientFacts } from "../limits/requester.ts";
import type { Session } from "../records.ts";
import type { IssuedToken } from "./session-token.ts";

/** The record of a session that this client uses now, in milliseconds since 1970. */
export const sessionRecord = (
  { id, userId, issuedAt, expiresAt }: Omit<IssuedToken, "text">,
  now: number,
  client: Client,
): Session => ({
  id,
  userId,
  createdAt: new Date(issuedAt),
  usedAt: new Date(now),
  expiresAt: new Date(expiresAt),
  ...clientFacts(client),
});
