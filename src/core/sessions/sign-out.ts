import { messageOf } from "../fault.ts";
import type { ServerLog } from "../server-log.ts";
import type { SessionTokens, VerifiedToken } from "../session-token.ts";
import type { UserId } from "../store.ts";
import { addEndedSessions, type EndSessionPorts } from "./add-ended-sessions.ts";
import { hasEnded, sessionEndsOf } from "./ended-sessions.ts";

export interface SignOutPorts extends EndSessionPorts {
  readonly tokens: Pick<SessionTokens, "verify">;
  readonly log: Pick<ServerLog, "warn">;
}

/**
 * Ends the sessions of a browser, recorded or not. Never throws: the browser forgets its cookies in
 * any case, and a failure is a line in the server log.
 *
 * @param cookies The values of its session cookies.
 * @param of Only the sessions of this user, who has just signed in again.
 */
export async function signOut(
  ports: SignOutPorts,
  cookies: readonly string[],
  of?: UserId,
): Promise<void> {
  for (const text of cookies) {
    const token = ports.tokens.verify(text);
    if (typeof token !== "object" || (of ?? token.userId) !== token.userId) continue;
    try {
      await end(ports, token);
    } catch (error) {
      const reason = messageOf(error);
      ports.log.warn(
        { userId: token.userId, reason },
        "a session was not ended: its token stays valid",
      );
    }
  }
}

/** A token without an ID cannot end alone. One that has ended already changes nothing. */
async function end(ports: SignOutPorts, token: VerifiedToken): Promise<void> {
  const { jti: id, userId, expiresAt } = token;
  if (id === undefined) return;
  const user = await ports.store.findUser(userId);
  if (user === undefined || hasEnded(token, sessionEndsOf(user))) return;
  await addEndedSessions(ports, user, [{ id, expiresAt: new Date(expiresAt) }]);
}
