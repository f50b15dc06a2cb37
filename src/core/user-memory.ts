import { createBoundedMemory } from "./bounded-memory.ts";
import type { Clock, MaybePromise } from "./clock.ts";
import type { Store, User, UserId } from "./store.ts";

/** How long another process's change may go unseen by this one's guards. */
const REMEMBERED_FOR_MS = 1_000;
const REMEMBERED_USERS = 10_000;

export interface RememberedUser {
  readonly user: User;
  /** The monotonic moment up to which the user may be taken from here; past, once forgotten. */
  readonly until: number;
}

/** What guards ask on every request, answered from memory where that is safe. */
export interface UserMemory {
  find(id: UserId): MaybePromise<RememberedUser | undefined>;
  /** Whether there is an account. Nothing ever leads back to none, so a yes is for ever. */
  anyExists(): MaybePromise<boolean>;
  /** To be called whenever this process changes a user. */
  forget(id: UserId): void;
}

export function createUserMemory(
  store: Pick<Store, "countUsers" | "findUser">,
  clock: Pick<Clock, "monotonic">,
): UserMemory {
  const remembered = createBoundedMemory<UserId, { user: User; until: number }>(REMEMBERED_USERS);
  const lookUps = new Map<UserId, Promise<RememberedUser | undefined>>();
  let seenOne = false;

  /** Requests that ask for the same user at the same moment share one query. */
  function lookUp(id: UserId): Promise<RememberedUser | undefined> {
    const underWay = lookUps.get(id);
    if (underWay !== undefined) return underWay;
    const until = clock.monotonic() + REMEMBERED_FOR_MS;
    const lookUpNow: Promise<RememberedUser | undefined> = store
      .findUser(id)
      .then((stored) => {
        if (stored === undefined) return undefined;
        const user: User = Object.freeze({ id: stored.id, username: stored.username });
        // `forget` takes the look-up out of the map: what it found may already be out of date.
        if (lookUps.get(id) !== lookUpNow) return { user, until: 0 };
        const found = { user, until };
        remembered.set(id, found);
        return found;
      })
      .finally(() => {
        if (lookUps.get(id) === lookUpNow) lookUps.delete(id);
      });
    lookUps.set(id, lookUpNow);
    return lookUpNow;
  }

  return {
    find(id) {
      const known = remembered.get(id);
      return known !== undefined && clock.monotonic() < known.until ? known : lookUp(id);
    },

    anyExists() {
      if (seenOne) return true;
      return store.countUsers().then((count) => {
        seenOne ||= count > 0;
        return seenOne;
      });
    },

    forget(id) {
      // Whoever holds on to what was remembered sees it end, too.
      const known = remembered.get(id);
      if (known !== undefined) known.until = 0;
      remembered.delete(id);
      lookUps.delete(id);
    },
  };
}
