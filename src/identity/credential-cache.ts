import {
  type FoundUser,
  toPublicUser,
  USE_PRECISION_MS,
  type User,
  type UserId,
} from "../db/records.ts";
import type { StoreParts } from "../db/store.ts";
import { createBoundedMemory } from "../lib/bounded-memory.ts";
import type { Clock } from "../lib/clock.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";

/**
 * This process may use cached accounts and credentials for this long after another process changed
 * them. The expiry of a cached credential is checked by the system clock at the same interval.
 */
const MAX_AGE_MS = 1_000;
/**
 * The limit applies to sessions and to API keys separately. For sessions, this number takes about
 * 25 MB. The cache keeps at least the recently used half.
 */
const MAX_ENTRIES = 32_768;
/**
 * If this process has changed more accounts, every entry is looked up again. The limit bounds the
 * memory.
 */
const MAX_CHANGED_ACCOUNTS = 10_000;

/** Tells whether the account needs a second factor, and whether it has one. */
export type RequiredFactor = "optional" | "required" | "missing";

/**
 * Caches sessions and API keys: whom a verified credential admits. An entry is valid for at most a
 * second, and becomes invalid as soon as this process changes the account.
 */
export interface CredentialCache {
  /**
   * Invalidates the entries of an account. Must be called after each change of an account by this
   * process, also if the change failed: `changeAccount` does both.
   */
  forget(account: UserId | "all"): void;
  /**
   * Returns whether an account exists. The last account cannot be removed, so `true` is cached
   * permanently.
   */
  anyExists(): MaybePromise<boolean>;
  /**
   * Creates the part for sessions, or the part for API keys. No part finds an entry of another
   * part.
   */
  createPart<Credential, Admission extends object>(
    rules: PartRules<Credential, Admission>,
  ): CachePart<Credential, Admission>;
  /** Counts the accounts of all entries, for the metrics. */
  countAccounts(): number;
}

/** Provides what rules that change accounts need. */
export interface ChangeServices {
  readonly credentialCache: Pick<CredentialCache, "forget">;
}

/** Replaces the cache in a process that authenticates no requests, such as a command. */
export const NO_CACHE: ChangeServices["credentialCache"] = { forget: () => {} };

/**
 * Runs a change of an account, and drops the account from the cache. This also happens after a
 * failure, because the database may have made the change although its answer was lost.
 */
export async function changeAccount<Result>(
  { credentialCache }: ChangeServices,
  account: UserId | "all",
  change: () => Promise<Result>,
): Promise<Result> {
  try {
    return await change();
  } finally {
    credentialCache.forget(account);
  }
}

interface PartRules<Credential, Admission> {
  /** Decides whom a credential admits. Called once for each lookup. */
  admit(credential: Credential, user: User, factor: RequiredFactor): Admission;
  /** Longer texts are not cached. */
  readonly maxTextLength?: number;
}

/** Holds the entries of one kind of credential, by the text that a request carries. */
export interface CachePart<Credential, Admission> {
  /**
   * Finds the entry of a text if its admission is still valid. On the hot path, this takes one map
   * lookup, and a second one only after this process has changed some account.
   *
   * @param now The monotonic time.
   */
  findCurrent(text: string, now: number): CacheEntry<Credential, Admission> | undefined;
  /** Finds the credential of a text that was verified before, even if its admission is too old. */
  findVerified(text: string): Credential | undefined;
  /**
   * Looks a credential up and caches the outcome. Concurrent requests with the same text share one
   * lookup, unless the lookup takes longer than a second or an account has changed since it began.
   *
   * @param read must have verified the credential, so that a client without a credential cannot
   * fill the cache.
   */
  lookUp(
    text: string,
    read: () => Promise<FoundCredential<Credential> | undefined>,
  ): Promise<LookupOutcome<Credential, Admission>>;
  forgetText(text: string): void;
  /** Returns whether to record the use of the credential now. The result is `true` once an hour. */
  isUseDue(entry: CacheEntry<Credential, Admission>, now: number): boolean;
  readonly size: number;
}

/** Contains what the store knows about a credential. */
export interface FoundCredential<Credential> {
  readonly credential: Credential;
  /**
   * The time is in milliseconds since 1970. It is `Infinity` for a credential that does not expire.
   */
  readonly expiresAt: number;
  /** The account may have ended. The cache refuses such an account. */
  readonly user: FoundUser;
}

export type LookupOutcome<Credential, Admission> =
  | { readonly kind: "found"; readonly entry: CacheEntry<Credential, Admission> }
  /** The credential has been revoked, or its account is gone or has ended. */
  | { readonly kind: "unknown" }
  | { readonly kind: "expired" };

export interface CacheEntry<Credential, Admission> {
  readonly credential: Credential;
  /** The admission is frozen, because every request with this credential gets the same object. */
  readonly admission: Admission;
  readonly userId: UserId;
  /**
   * The admission is valid until this monotonic time. The value is 0 if each request must look the
   * credential up.
   */
  until: number;
  /** This process had made this many changes of accounts when the admission was last checked. */
  changes: number;
  /** A use is recorded again from this monotonic time. */
  noteUseAt: number;
}

/** Records when a lookup began: the monotonic time, and how many changes this process had made. */
interface Beginning {
  readonly at: number;
  readonly changes: number;
}

/** Represents a lookup that has not ended yet. */
interface Lookup<Credential, Admission> {
  readonly began: Beginning;
  readonly outcome: Promise<LookupOutcome<Credential, Admission>>;
}

/**
 * @param findFactor decides whether an account needs a second factor. By default, no account does.
 */
export function createCredentialCache(
  { users }: { readonly users: Pick<StoreParts["users"], "any"> },
  clock: Clock,
  findFactor: (user: User) => Promise<RequiredFactor> = async () => "optional",
): CredentialCache {
  const changed = createChangedAccounts();
  const parts: { listAccounts(): readonly UserId[] }[] = [];
  let isAnyKnown = false;

  function createPart<Credential, Admission extends object>({
    admit,
    maxTextLength = Number.POSITIVE_INFINITY,
  }: PartRules<Credential, Admission>): CachePart<Credential, Admission> {
    type Outcome = LookupOutcome<Credential, Admission>;
    type Read = () => Promise<FoundCredential<Credential> | undefined>;

    const entries = createBoundedMemory<string, CacheEntry<Credential, Admission>>(MAX_ENTRIES);
    const lookups = new Map<string, Lookup<Credential, Admission>>();
    parts.push({ listAccounts: () => entries.values().map(({ userId }) => userId) });

    async function findEntry(text: string, read: Read, began: Beginning): Promise<Outcome> {
      const found = await read();
      if (found === undefined) return { kind: "unknown" };
      const { credential, expiresAt, user: stored } = found;
      const user = toPublicUser(stored);
      const factor = await findFactor(user);

      // The check uses the system clock, which may have been set. It also refuses invalid dates.
      const now = clock.now();
      const accountEndsAt = stored.endsAt?.getTime() ?? Number.POSITIVE_INFINITY;
      if (!(expiresAt > now)) return { kind: "expired" };
      if (!(accountEndsAt > now)) return { kind: "unknown" };

      const endsAt = clock.monotonic() + Math.min(expiresAt, accountEndsAt) - now;
      const entry: CacheEntry<Credential, Admission> = {
        credential,
        admission: Object.freeze(admit(credential, user, factor)),
        userId: user.id,
        // The user may turn the missing factor on through another process at any time, so the entry
        // is not reused.
        until: factor === "missing" ? 0 : Math.min(began.at + MAX_AGE_MS, endsAt),
        changes: began.changes,
        noteUseAt: entries.get(text)?.noteUseAt ?? 0,
      };
      return { kind: "found", entry };
    }

    function remember(text: string, outcome: Outcome): void {
      switch (outcome.kind) {
        case "found":
          if (changed.hasChanged(outcome.entry.userId, outcome.entry.changes)) return;
          // The text is copied, since a slice would keep the whole header in memory.
          if (text.length <= maxTextLength)
            entries.set(Buffer.from(text).toString(), outcome.entry);
          return;
        case "expired":
        case "unknown":
          entries.delete(text);
      }
    }

    function beginLookup(text: string, read: Read): Promise<Outcome> {
      const began = { at: clock.monotonic(), changes: changed.count };
      const outcome = findEntry(text, read, began)
        .then((ended) => {
          // If a later lookup has replaced this one, only the outcome of the later lookup is
          // cached.
          if (lookups.get(text) === lookup) remember(text, ended);
          return ended;
        })
        .finally(() => {
          if (lookups.get(text) === lookup) lookups.delete(text);
        });
      const lookup: Lookup<Credential, Admission> = { began, outcome };
      lookups.set(text, lookup);
      return outcome;
    }

    return {
      findCurrent(text, now) {
        const entry = entries.get(text);
        if (entry === undefined || now >= entry.until) return undefined;
        if (entry.changes === changed.count) return entry;
        if (changed.hasChanged(entry.userId, entry.changes)) return undefined;
        entry.changes = changed.count;
        return entry;
      },

      findVerified: (text) => entries.get(text)?.credential,

      lookUp(text, read) {
        const running = lookups.get(text);
        const canShare =
          running !== undefined &&
          running.began.changes === changed.count &&
          clock.monotonic() < running.began.at + MAX_AGE_MS;
        return canShare ? running.outcome : beginLookup(text, read);
      },

      forgetText: (text) => entries.delete(text),

      isUseDue(entry, now) {
        if (now < entry.noteUseAt) return false;
        entry.noteUseAt = now + USE_PRECISION_MS;
        return true;
      },

      get size() {
        return entries.size;
      },
    };
  }

  return {
    forget: changed.add,

    anyExists() {
      if (isAnyKnown) return true;
      return users.any().then((exists) => {
        isAnyKnown ||= exists;
        return isAnyKnown;
      });
    },

    createPart,

    countAccounts: () => new Set(parts.flatMap((part) => part.listAccounts())).size,
  };
}

/**
 * Tracks the accounts that this process has changed, with the number of each change. An entry or
 * lookup records how many changes preceded it, so that a change invalidates the entry without a
 * search.
 */
interface ChangedAccounts {
  readonly count: number;
  add(account: UserId | "all"): void;
  /** Returns whether the account has changed after that many changes. */
  hasChanged(account: UserId, after: number): boolean;
}

function createChangedAccounts(): ChangedAccounts {
  const latest = new Map<UserId, number>();
  let count = 0;
  let latestOfAll = 0;
  return {
    get count() {
      return count;
    },
    add(account) {
      count += 1;
      if (account !== "all") latest.set(account, count);
      if (account !== "all" && latest.size <= MAX_CHANGED_ACCOUNTS) return;
      latest.clear();
      latestOfAll = count;
    },
    hasChanged: (account, after) => Math.max(latestOfAll, latest.get(account) ?? 0) > after,
  };
}
