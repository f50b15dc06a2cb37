import {
  type StoredUser,
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
 * How long the guards of this process may use what another process has changed. The expiry of a
 * remembered credential is checked by the system clock as often.
 */
const MAX_AGE_MS = 1_000;
/**
 * The number of sessions that are remembered, and of API keys. For sessions, this takes about 25 MB.
 * At least the recently used half is kept.
 */
const MAX_ENTRIES = 32_768;
/** If this process has changed more accounts, every entry is looked up again. Bounds the memory. */
const MAX_CHANGED_ACCOUNTS = 10_000;

/** Whether the account has to have a second factor, and has one. */
export type RequiredFactor = "optional" | "required" | "missing";

/**
 * What the guards of this process remember of sessions and API keys: whom a verified credential
 * admits, for at most a second, and no longer once this process changes the account.
 */
export interface CredentialCache {
  /** Must be called after each change of an account by this process, also if the change failed. */
  forget(account: UserId | "all"): void;
  /** Whether an account exists. The last one cannot be removed, so `true` is remembered for ever. */
  anyExists(): MaybePromise<boolean>;
  /** Creates the part for sessions, or the part for API keys. No part finds an entry of another. */
  createPart<Credential, Admission extends object>(
    rules: PartRules<Credential, Admission>,
  ): CachePart<Credential, Admission>;
  /** Counts the accounts of all entries, for the metrics. */
  countAccounts(): number;
}

interface PartRules<Credential, Admission> {
  /** Decides whom a credential admits. Called once for each lookup. */
  admit(credential: Credential, user: User, factor: RequiredFactor): Admission;
  /** Longer texts are not remembered. */
  readonly maxTextLength?: number;
}

/** The entries of one kind of credential, by the text that a request carries. */
export interface CachePart<Credential, Admission> {
  /**
   * Finds the entry of a text if its admission still counts. The hot path: one map lookup, and a
   * second one only after this process has changed some account.
   *
   * @param now The monotonic time.
   */
  findCurrent(text: string, now: number): CacheEntry<Credential, Admission> | undefined;
  /** Finds the credential of a text that was verified before, even if its admission is too old. */
  findVerified(text: string): Credential | undefined;
  /**
   * Looks a credential up and remembers the outcome. Concurrent requests with the same text share
   * one lookup, unless it takes longer than a second or an account has changed since it began.
   *
   * @param read must have verified the credential, so that a client without one cannot fill the cache.
   */
  lookUp(
    text: string,
    read: () => Promise<FoundCredential<Credential> | undefined>,
  ): Promise<LookupOutcome<Credential, Admission>>;
  forgetText(text: string): void;
  /** Whether to note the use of the credential now. `true` once an hour. */
  isUseDue(entry: CacheEntry<Credential, Admission>, now: number): boolean;
  readonly size: number;
}

/** What the store knows of a credential. */
export interface FoundCredential<Credential> {
  readonly credential: Credential;
  /** In milliseconds since 1970. `Infinity` for a credential that does not expire. */
  readonly expiresAt: number;
  /** May be an account that has ended: the cache refuses it. */
  readonly user: StoredUser;
}

export type LookupOutcome<Credential, Admission> =
  | { readonly kind: "found"; readonly entry: CacheEntry<Credential, Admission> }
  /** The credential has been revoked, or its account is gone or has ended. */
  | { readonly kind: "unknown" }
  | { readonly kind: "expired" };

export interface CacheEntry<Credential, Admission> {
  readonly credential: Credential;
  /** Frozen, because every request with this credential gets the same object. */
  readonly admission: Admission;
  readonly userId: UserId;
  /** The monotonic time until which the admission counts; 0 if it has to be looked up each time. */
  until: number;
  /** How many changes of accounts this process had made when the admission was last checked. */
  changes: number;
  /** The monotonic time from which a use is noted again. */
  noteUseAt: number;
}

/** When a lookup began: the monotonic time, and how many changes this process had made. */
interface Beginning {
  readonly at: number;
  readonly changes: number;
}

/** A lookup that has not ended yet. */
interface Lookup<Credential, Admission> {
  readonly began: Beginning;
  readonly outcome: Promise<LookupOutcome<Credential, Admission>>;
}

/** @param findFactor decides whether an account needs a second factor. Default: none does. */
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

      // By the system clock, which may have been set. Also refuses invalid dates.
      const now = clock.now();
      const accountEndsAt = stored.endsAt?.getTime() ?? Number.POSITIVE_INFINITY;
      if (!(expiresAt > now)) return { kind: "expired" };
      if (!(accountEndsAt > now)) return { kind: "unknown" };

      const endsAt = clock.monotonic() + Math.min(expiresAt, accountEndsAt) - now;
      const entry: CacheEntry<Credential, Admission> = {
        credential,
        admission: Object.freeze(admit(credential, user, factor)),
        userId: user.id,
        // Another process may see the missing factor turned on next.
        until: factor === "missing" ? 0 : Math.min(began.at + MAX_AGE_MS, endsAt),
        changes: began.changes,
        noteUseAt: entries.get(text)?.noteUseAt ?? 0,
      };
      return { kind: "found", entry };
    }

    function remember(text: string, outcome: Outcome): void {
      switch (outcome.kind) {
        case "found":
          // It may have been read before the account changed.
          if (changed.hasChanged(outcome.entry.userId, outcome.entry.changes)) return;
          // A copy, since a slice would keep the whole header in memory.
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
          // Otherwise a later lookup has replaced this one, and knows better.
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
 * The accounts that this process has changed, with the number of each change. An entry or lookup
 * records how many changes there were before it, so that a change ends it without a search for it.
 */
interface ChangedAccounts {
  readonly count: number;
  add(account: UserId | "all"): void;
  /** Whether the account has changed after that many changes. */
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
