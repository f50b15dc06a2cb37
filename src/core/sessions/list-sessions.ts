import type { Clock } from "../base/clock.ts";
import type { Client } from "../limits/requester.ts";
import type { Session } from "../records.ts";
import type { SessionStore } from "../store.ts";
import { sessionRecord } from "./session-record.ts";
import type { SessionRecorder } from "./session-recorder.ts";
import type { VerifiedToken } from "./session-token.ts";

/** More would make the page a wall. "Sign out everywhere else" ends the others as well. */
export const MAX_LISTED = 50;

export interface ListSessionsPorts {
  readonly store: { readonly sessions: Pick<SessionStore, "listOf"> };
  readonly clock: Pick<Clock, "now">;
  readonly sessions: SessionRecorder;
}

/**
 * The user's sessions, this one first, then the most recently used: one more than the limit
 * if there are more. If this one is not recorded, for example because it is from an older version,
 * it is recorded now.
 */
export async function listSessions(
  { store, clock, sessions }: ListSessionsPorts,
  current: VerifiedToken,
  client: Client,
): Promise<readonly Session[]> {
  await sessions.flush();
  const now = new Date(clock.now());
  const listed = await store.sessions.listOf(current.userId, now, MAX_LISTED + 1);
  const others = listed.filter(({ id }) => id !== current.jti);
  const own = listed.find(({ id }) => id === current.jti);
  if (own !== undefined || current.jti === undefined) return own ? [own, ...others] : others;
  const session = { ...current, id: current.jti, issuedAt: current.issuedAt * 1_000 };
  const unrecorded = sessionRecord(session, now.getTime(), client);
  sessions.started(unrecorded);
  return [unrecorded, ...others];
}
