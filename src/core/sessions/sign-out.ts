import { messageOf } from "../base/fault.ts";
import type { ServerLog } from "../base/server-log.ts";
import type { UserId } from "../store.ts";
import { addEndedSessions, type EndSessionPorts } from "./add-ended-sessions.ts";
import { hasEnded, sessionEndsOf } from "./ended-sessions.ts";
import type { SessionTokens, VerifiedToken } from "./session-token.ts";
import type { WaitingEnds } from "./waiting-ends.ts";

interface SignOutPorts extends EndSessionPorts {
  readonly tokens: Pick<SessionTokens, "verify">;
  readonly waiting: Pick<WaitingEnds, "has" | "add">;
  readonly log: Pick<ServerLog, "warn">;
}

/**
 * Ends the sessions of a browser, recorded or not. Never throws: the browser forgets its cookies in
 * any case. What the store cannot end now, this process refuses, and ends later.
 *
 * @param cookies The values of its session cookies.
 * @param of Only the sessions of this user, who has just signed in again.
 */
export async function signOut(
  ports: SignOutPorts,
  cookies: readonly string[],
  of?: UserId,
): Promise<"ended" | "not-ended"> {
  let outcome: "ended" | "not-ended" = "ended";
  for (const text of cookies) {
    const token = ports.tokens.verify(text);
    if (typeof token !== "object" || (of ?? token.userId) !== token.userId) continue;
    if (ports.waiting.has(token)) {
      outcome = "not-ended";
      continue;
    }
    try {
      await endSessionOf(ports, token);
    } catch (error) {
      outcome = "not-ended";
      const fields = { userId: token.userId, reason: messageOf(error) };
      const isKept = ports.waiting.add(token) === "added";
      ports.log.warn(fields, isKept ? "a session was not ended yet: trying again" : NOT_ENDED);
    }
  }
  return outcome;
}

const NOT_ENDED = "a session was not ended: its token stays valid";

/** A token without an ID cannot end alone. One that has ended already changes nothing. */
export async function endSessionOf(ports: EndSessionPorts, token: VerifiedToken): Promise<void> {
  const { jti: id, userId, expiresAt } = token;
  if (id === undefined) return;
  const user = await ports.store.findUser(userId);
  if (user === undefined || hasEnded(token, sessionEndsOf(user))) return;
  await addEndedSessions(ports, user, [{ id, expiresAt: new Date(expiresAt) }]);
}
