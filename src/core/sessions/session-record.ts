import { type Client, clientFacts } from "../limits/requester.ts";
import type { Session, UserId } from "../records.ts";

/** The record of a session that this client uses now. Times are in milliseconds since 1970. */
export const sessionRecord = (
  { id, userId, issuedAt, expiresAt }: Recorded,
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

interface Recorded {
  readonly id: string;
  readonly userId: UserId;
  readonly issuedAt: number;
  readonly expiresAt: number;
}
