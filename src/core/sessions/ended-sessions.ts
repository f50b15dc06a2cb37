import type { VerifiedToken } from "../session-token.ts";

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

/** Whether a session has ended by itself. A token without `jti` only ends with all others. */
export const isAmongEnded = ({ jti }: Pick<VerifiedToken, "jti">, ended: EndedSessions): boolean =>
  ended === "all" || (jti !== undefined && ended.has(jti));
