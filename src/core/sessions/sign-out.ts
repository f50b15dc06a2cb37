import { messageOf } from "../base/fault.ts";
import type { ServerLog } from "../base/server-log.ts";
import type { Client } from "../limits/requester.ts";
import type { Session, UserId } from "../records.ts";
import { type EndSessionPorts, endInStore } from "./end-session.ts";
import { sessionRecord } from "./session-record.ts";
import type { SessionTokens } from "./session-token.ts";
import type { WaitingEnds } from "./waiting-ends.ts";

interface SignOutPorts extends EndSessionPorts {
  readonly tokens: Pick<SessionTokens, "verify">;
  readonly waiting: Pick<WaitingEnds, "has" | "add">;
  readonly log: Pick<ServerLog, "warn">;
}

/**
 * Ends the sessions of a browser, recorded or not. Never throws: the browser forgets its cookies in
 * any case. What the store cannot end now, this process refuses, and ends later. A token without an
 * ID cannot end alone.
 *
 * @param cookies The values of its session cookies.
 * @param of Only the sessions of this user, who has just signed in again.
 */
export async function signOut(
  ports: SignOutPorts,
  cookies: readonly string[],
  client: Client,
  of?: UserId,
): Promise<"ended" | "not-ended"> {
  const outcomes: ("ended" | "not-ended")[] = [];
  for (const text of cookies) {
    const token = ports.tokens.verify(text);
    if (typeof token !== "object" || (of ?? token.userId) !== token.userId) continue;
    const { jti: id } = token;
    if (id === undefined) continue;
    const issuedAt = token.issuedAt * 1_000;
    const session = sessionRecord({ ...token, id, issuedAt }, ports.clock.now(), client);
    outcomes.push(await endNowOrLater(ports, session));
  }
  return outcomes.includes("not-ended") ? "not-ended" : "ended";
}

async function endNowOrLater(
  ports: SignOutPorts,
  session: Session,
): Promise<"ended" | "not-ended"> {
  if (ports.waiting.has(session.id)) return "not-ended";
  try {
    await endInStore(ports, session);
    return "ended";
  } catch (error) {
    const fields = { userId: session.userId, reason: messageOf(error) };
    const isKept = ports.waiting.add(session) === "added";
    ports.log.warn(fields, isKept ? "a session was not ended yet: trying again" : NOT_ENDED);
    return "not-ended";
  }
}

const NOT_ENDED = "a session was not ended: its token stays valid";
