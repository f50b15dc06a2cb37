import { createBoundedMemory } from "./bounded-memory.ts";
import type { Clock } from "./clock.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import type { Store, User, UserId } from "./store.ts";

/**
 * How long another process's change may go unseen by this one's guards. Where the store tells of
 * changes, a user is remembered for as long as it does, and for this long without word from it.
 */
const REMEMBERED_FOR_MS = 1_000;
const REMEMBERED_USERS = 10_000;
/** However sure the store is, in case somebody has changed a user past all that tells of it. */
const READ_AGAIN_AFTER_MS = 60_000;

export interface RememberedUser {
  readonly user: User;
  /** Sessions of sign-ins before this second are over. */
  readonly sessionsFrom: number;
  /** The monotonic moment up to which the user may be taken from here; past, once forgotten. */
  readonly until: number;
}

interface Known extends RememberedUser {
  readonly readAt: number;
  until: number;
}

/** What guards ask on every request, answered from memory where that is safe. */
export interface UserMemory {
  find(id: UserId): MaybePromise<RememberedUser | undefined>;
  /** Whether there is an account. Nothing ever leads back to none, so a yes is for ever. */
  anyExists(): MaybePromise<boolean>;
  /** To be called whenever this process changes a user. */
  forget(id: UserId): void;
  /** How many users are remembered. */
  readonly size: number;
  close(): Promise<void>;
}

export function createUserMemory(
  store: Pick<Store, "hasUsers" | "findUser" | "watchUsers">,
  clock: Pick<Clock, "monotonic">,
): UserMemory {
  const remembered = createBoundedMemory<UserId, Known>(REMEMBERED_USERS);
  const lookUps = new Map<UserId, Promise<RememberedUser | undefined>>();
  let seenOne = false;
  const watch = store.watchUsers?.({
    now: () => clock.monotonic(),
    changed: (id) => (id === "all" ? forgetAll() : forget(id)),
  });

  /** Requests that ask for the same user at the same moment share one query. */
  function lookUp(id: UserId): Promise<RememberedUser | undefined> {
    const underWay = lookUps.get(id);
    if (underWay !== undefined) return underWay;
    const readAt = clock.monotonic();
    const lookUpNow: Promise<RememberedUser | undefined> = store
      .findUser(id)
      .then((stored) => {
        if (stored === undefined) return undefined;
        const user: User = Object.freeze({ id: stored.id, username: stored.username });
        // `forget` takes the look-up out of the map: what it found may already be out of date.
        const { sessionsFrom = Number.NEGATIVE_INFINITY } = stored;
        if (lookUps.get(id) !== lookUpNow) return { user, sessionsFrom, until: 0 };
        const found = { user, sessionsFrom, readAt, until: readAt + REMEMBERED_FOR_MS };
        remembered.set(id, found);
        return found;
      })
      .finally(() => {
        if (lookUps.get(id) === lookUpNow) lookUps.delete(id);
      });
    lookUps.set(id, lookUpNow);
    return lookUpNow;
  }

  function forget(id: UserId): void {
    // Whoever holds on to what was remembered sees it end, too.
    const known = remembered.get(id);
    if (known !== undefined) known.until = 0;
    remembered.delete(id);
    lookUps.delete(id);
  }

  function forgetAll(): void {
    for (const id of [...remembered.keys(), ...lookUps.keys()]) forget(id);
  }

  /** Good for as long again, where the store has told of every change since it was read. */
  function stillGood(known: Known): boolean {
    const now = clock.monotonic();
    if (now < known.until) return true;
    const told = watch?.confirmedAt() ?? Number.NEGATIVE_INFINITY;
    const until = Math.min(told + REMEMBERED_FOR_MS, known.readAt + READ_AGAIN_AFTER_MS);
    if (now >= until) return false;
    known.until = until;
    return true;
  }

  return {
    find(id) {
      const known = remembered.get(id);
      return known !== undefined && stillGood(known) ? known : lookUp(id);
    },

    anyExists() {
      if (seenOne) return true;
      return store.hasUsers().then((yes) => {
        seenOne ||= yes;
        return seenOne;
      });
    },

    forget,

    get size() {
      return remembered.size;
    },

    close: async () => watch?.close(),
  };
}
