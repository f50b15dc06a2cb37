import { CLOCK_MARGIN_SECONDS, nextSecond } from "../accounts/end-sessions.ts";
import { changeExtra } from "../accounts/extras.ts";
import type { Clock } from "../clock.ts";
import type { Store, UserId } from "../store.ts";
import type { UserMemory } from "../user-memory.ts";
import { endedSessionsIn } from "./ended-sessions.ts";
import type { SessionStore, StoredSession } from "./session-store.ts";

/** What ends sessions in the list of their user. */
export interface EndSessionPorts {
  readonly store: SessionStore & Pick<Store, "findUser">;
  readonly clock: Pick<Clock, "now">;
  /** Of this process, if it has guards. */
  readonly users?: Pick<UserMemory, "forget">;
}

/** Beyond this, the user is read too slowly. */
export const MAX_ENDED_SESSIONS = 1_000;

/** More make no difference: to end all but one of that many ends every session of the user. */
export const MAX_COUNTED_SESSIONS: number = MAX_ENDED_SESSIONS + 2;

/**
 * Ends sessions of one user: adds them to the user's list until they expire. A list that gets too
 * long is replaced by the end of all sessions of the user.
 */
export async function addEndedSessions(
  { store, clock, users }: EndSessionPorts,
  id: UserId,
  sessions: readonly Pick<StoredSession, "id" | "expiresAt">[],
): Promise<void> {
  const added = sessions.map((one) => [one.id, Math.ceil(one.expiresAt.getTime() / 1000)] as const);
  const user = await store.findUser(id);
  if (user === undefined) return;
  const size = await changeExtra(store, user, "endedSessions", ({ endedSessions }) => {
    const before = endedSessionsIn(endedSessions);
    if (before === "all") return { kind: "keep", outcome: 0 };
    // The clock of another instance may be behind.
    const since = clock.now() / 1000 - CLOCK_MARGIN_SECONDS;
    const list = [...new Map([...before, ...added])].filter(([, expiry]) => expiry > since);
    return { kind: "replace", by: textOf(list), outcome: list.length };
  });
  if (size !== "no-user" && size > MAX_ENDED_SESSIONS) await endAll({ store, clock }, id);
  users?.forget(id);
  await store.removeSessions(sessions.map((one) => one.id));
}

/** Empties the list only of what was in it before, since a session may be ended meanwhile. */
async function endAll({ store, clock }: EndSessionPorts, id: UserId): Promise<void> {
  const user = await store.findUser(id);
  const before = endedSessionsIn(user?.endedSessions);
  await store.endSessions(id, nextSecond(clock));
  if (user === undefined || before === "all") return;
  await changeExtra(store, user, "endedSessions", ({ endedSessions }) => {
    const now = endedSessionsIn(endedSessions);
    const left = now === "all" ? [] : [...now].filter(([session]) => !before.has(session));
    return { kind: "replace", by: textOf(left), outcome: "shortened" };
  });
}

const textOf = (list: readonly (readonly [string, number])[]): string | undefined =>
  list.length === 0 ? undefined : JSON.stringify(list);
