import { hasEnded, type User, type UserId, userOf } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { createBoundedMemory } from "../base/bounded-memory.ts";
import type { Clock } from "../base/clock.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";

/** How long the guards of this process may use a user that another process has changed. */
const MAX_AGE_MS = 1_000;
/**
 * So many sessions, of as many users, and so many keys are remembered: of sessions about 20 MB. At
 * least the recently used half is kept.
 */
export const MAX_REMEMBERED = 32_768;
/** How often the expiry of a remembered session or key is checked by the system clock. */
export const RECHECK_AFTER_MS = 1_000;

/** Whether the account has to have a second factor, and has one. */
export type RequiredFactor = "optional" | "required" | "missing";

export interface RememberedUser {
  readonly user: User;
  readonly factor: RequiredFactor;
  /** Sessions from earlier sign-ins have ended. */
  readonly sessionsFrom: number;
  /** The monotonic time until which this entry is valid; in the past once forgotten. */
  readonly until: number;
}

interface Known extends RememberedUser {
  until: number;
}

/** A query that is not answered yet, and the monotonic time at which it began. */
interface Lookup {
  readonly readAt: number;
  readonly found: Promise<RememberedUser | undefined>;
}

/** The users that guards look up on every request, cached where that is safe. */
export interface UserMemory {
  find(id: UserId): MaybePromise<RememberedUser | undefined>;
  /** Whether an account exists. The last one cannot be removed, so `true` is cached for ever. */
  anyExists(): MaybePromise<boolean>;
  /** Must be called whenever this process changes a user. */
  forget(id: UserId | "all"): void;
  readonly size: number;
}

/** What guards read of a store. */
interface GuardStore {
  readonly users: Pick<StoreParts["users"], "any" | "findActive">;
}

export function createUserMemory(
  store: GuardStore,
  clock: Clock,
  factorOf: (user: User) => Promise<RequiredFactor> = async () => "optional",
): UserMemory {
  const remembered = createBoundedMemory<UserId, Known>(MAX_REMEMBERED);
  const lookups = new Map<UserId, Lookup>();
  let anyUserSeen = false;

  /** The monotonic time of the end of an account, by the system clock, which may have been set. */
  const endOf = (endsAt: Date | undefined): number =>
    endsAt === undefined ? Infinity : clock.monotonic() + endsAt.getTime() - clock.now();

  /** Concurrent requests for the same user share one query, unless it takes too long. */
  function lookUp(id: UserId): Promise<RememberedUser | undefined> {
    const readAt = clock.monotonic();
    const pending = lookups.get(id);
    if (pending !== undefined && readAt < pending.readAt + MAX_AGE_MS) return pending.found;
    const found: Lookup["found"] = store.users
      .findActive(id, new Date(clock.now()))
      .then(async (stored) => {
        // The account may have ended while the query ran, which later requests wait for, too.
        if (stored === undefined || hasEnded(stored, clock.now())) return undefined;
        const user = userOf(stored);
        const factor = await factorOf(user);
        const { sessionsFrom = 0, endsAt } = stored;
        const until = Math.min(readAt + MAX_AGE_MS, endOf(endsAt));
        const known: Known = { user, factor, sessionsFrom, until };
        // A missing factor is not remembered: another instance may see it turned on next.
        if (lookups.get(id) === lookup && factor !== "missing") {
          expire(id);
          remembered.set(id, known);
        }
        // `forget` has removed the lookup from the map: its result may already be outdated.
        else known.until = 0;
        return known;
      })
      .finally(() => {
        if (lookups.get(id) === lookup) lookups.delete(id);
      });
    const lookup: Lookup = { readAt, found };
    lookups.set(id, lookup);
    return found;
  }

  /** Sessions hold a reference to the entry, which nothing else ends once it is replaced. */
  function expire(id: UserId): void {
    const known = remembered.get(id);
    if (known !== undefined) known.until = 0;
  }

  function forget(which: UserId | "all"): void {
    for (const id of which === "all" ? [...remembered.keys(), ...lookups.keys()] : [which]) {
      expire(id);
      remembered.delete(id);
      lookups.delete(id);
    }
  }

  return {
    find(id) {
      const known = remembered.get(id);
      return known !== undefined && clock.monotonic() < known.until ? known : lookUp(id);
    },

    anyExists() {
      if (anyUserSeen) return true;
      return store.users.any().then((yes) => {
        anyUserSeen ||= yes;
        return anyUserSeen;
      });
    },

    forget,

    get size() {
      return remembered.size;
    },
  };
}
