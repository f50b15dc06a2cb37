import type { StoredUser } from "../store.ts";
import { isEnded } from "./end-sessions.ts";
import type { VerifiedToken } from "./session-token.ts";

/** The expiry in seconds of each ended session of a user, by ID; `all` if the list is unreadable. */
export type EndedSessions = ReadonlyMap<string, number> | "all";

/** Shared, because most remembered users have no ended sessions. */
const NONE: EndedSessions = new Map();

/** Reads the extra. Fails closed: an unreadable list means that all sessions have ended. */
export function endedSessionsIn(text: string | undefined): EndedSessions {
  if (text === undefined) return NONE;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every(isEntry) ? new Map(list) : "all";
  } catch {
    return "all";
  }
}

const isEntry = (entry: unknown): entry is readonly [string, number] =>
  Array.isArray(entry) && typeof entry[0] === "string" && Number.isFinite(entry[1]);

/** When the sessions of a user have ended: those up to a second, and single ones. */
export interface SessionEnds {
  readonly sessionsFrom: number;
  readonly endedSessions: EndedSessions;
}

export const sessionEndsOf = (user: StoredUser): SessionEnds => ({
  sessionsFrom: user.sessionsFrom ?? Number.NEGATIVE_INFINITY,
  endedSessions: endedSessionsIn(user.endedSessions),
});

/** Whether a session has ended, with others or by itself. A token without `jti` only ends with others. */
export const hasEnded = (token: VerifiedToken, ends: SessionEnds): boolean =>
  isEnded(token, ends.sessionsFrom) || isAmongEnded(token, ends.endedSessions);

/** Whether a session has ended by itself. */
export const isAmongEnded = ({ jti }: Pick<VerifiedToken, "jti">, ended: EndedSessions): boolean =>
  ended === "all" || (jti !== undefined && ended.has(jti));
