import { changeExtra } from "../accounts/extras.ts";
import type { Clock } from "../base/clock.ts";
import type { Store, StoredUser, UserId } from "../store.ts";
import { CLOCK_MARGIN_SECONDS, nextSecond } from "./end-sessions.ts";
import { endedSessionsIn } from "./ended-sessions.ts";
import type { SessionStore, StoredSession } from "./session-store.ts";
import type { UserMemory } from "./user-memory.ts";

/** What ends sessions in the list of their user. */
export interface EndSessionPorts {
  readonly store: SessionStore & Pick<Store, "findUser">;
  readonly clock: Pick<Clock, "now">;
  /** Of this process, if it has guards. */
  readonly users?: Pick<UserMemory, "forget">;
}

type Entry = readonly [session: string, expiry: number];

/** Beyond this, the user is read too slowly. */
export const MAX_ENDED_SESSIONS = 1_000;

/**
 * Ends sessions of one user: adds them to the user's list until they expire. A list that gets too
 * long is replaced by the end of all sessions of the user.
 *
 * @param user As just read from the store.
 */
export async function addEndedSessions(
  { store, clock, users }: EndSessionPorts,
  user: StoredUser,
  sessions: readonly Pick<StoredSession, "id" | "expiresAt">[],
): Promise<void> {
  const { id } = user;
  const added = sessions.map((one) => [one.id, Math.ceil(one.expiresAt.getTime() / 1000)] as const);
  const list = await changeExtra<readonly Entry[]>(
    store,
    user,
    "endedSessions",
    ({ endedSessions }) => {
      const before = endedSessionsIn(endedSessions);
      if (before === "all" || added.every(([session]) => before.has(session)))
        return { kind: "keep", outcome: [] };
      // The clock of another instance may be behind.
      const since = clock.now() / 1000 - CLOCK_MARGIN_SECONDS;
      const next = [...new Map([...before, ...added])].filter(([, expiry]) => expiry > since);
      return { kind: "replace", by: textOf(next), outcome: next };
    },
  );
  if (list !== "no-user" && list.length > MAX_ENDED_SESSIONS)
    await endAll({ store, clock }, id, list);
  users?.forget(id);
  await store.removeSessions(sessions.map((one) => one.id));
}

/** Empties the user's list only of these, since another session may be ended meanwhile. */
async function endAll(
  { store, clock }: EndSessionPorts,
  id: UserId,
  list: readonly Entry[],
): Promise<void> {
  await store.endSessions(id, nextSecond(clock));
  const user = await store.findUser(id);
  if (user === undefined) return;
  const ended = new Set(list.map(([session]) => session));
  await changeExtra(store, user, "endedSessions", ({ endedSessions }) => {
    const now = endedSessionsIn(endedSessions);
    if (now === "all") return { kind: "keep", outcome: undefined };
    const left = [...now].filter(([session]) => !ended.has(session));
    return { kind: "replace", by: textOf(left), outcome: undefined };
  });
}

const textOf = (list: readonly Entry[]): string | undefined =>
  list.length === 0 ? undefined : JSON.stringify(list);
