import type { Session, StoredUser } from "../../db/records.ts";
import { type Client, clientFacts } from "../limits/requester.ts";
import type { AllPorts } from "../ports.ts";
import type { Factors, IssuedToken, VerifiedToken } from "./session-token.ts";

export type StartSessionPorts = Pick<AllPorts, "tokens" | "clock" | "recorder">;

/** Issues a session token for a user who has signed in, and records the session. */
export function startSession(
  { tokens, clock, recorder }: StartSessionPorts,
  { id, sessionsFrom }: Pick<StoredUser, "id" | "sessionsFrom">,
  client: Client,
  factors?: Factors,
): IssuedToken {
  const token = tokens.issue(id, sessionsFrom, factors);
  recorder.started(sessionRecord(token, clock.now(), client));
  return token;
}

/** The record of a session that this client uses now, in milliseconds since 1970. */
export const sessionRecord = (
  { id, userId, issuedAt, expiresAt, host }: VerifiedToken & Pick<IssuedToken, "id">,
  now: number,
  client: Client,
): Session => ({
  id,
  userId,
  createdAt: new Date(issuedAt),
  usedAt: new Date(now),
  expiresAt: new Date(expiresAt),
  ...clientFacts(client),
  ...(host !== undefined && { host }),
});
