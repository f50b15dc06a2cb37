import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { createEventLog, type EventLog } from "../../src/audit/event-log.ts";
import type { PasswordHash, StoredUser, User, UserId } from "../../src/db/records.ts";
import type { SqliteStore } from "../../src/db/sqlite/store.ts";
import {
  type AttemptLimiter,
  createAttemptLimiter,
  handoffRule,
} from "../../src/identity/attempt-limiter.ts";
import {
  type AuthenticateToken,
  createAuthenticateToken,
  createSessionCache,
} from "../../src/identity/authenticate-session.ts";
import {
  type CredentialCache,
  createCredentialCache,
} from "../../src/identity/credential-cache.ts";
import { createPasswords, type Passwords } from "../../src/identity/passwords.ts";
import type { PendingSignOuts } from "../../src/identity/pending-sign-outs.ts";
import { createSeals, type Seals } from "../../src/identity/seals.ts";
import {
  createSessionRecorder,
  type SessionRecorder,
} from "../../src/identity/session-recorder.ts";
import { createSessionTokens, type SessionTokens } from "../../src/identity/session-token.ts";
import { type FakeClock, fakeClock } from "./fake-clock.ts";
import { OWNER, SECRET } from "./gate.ts";
import { type RecordingLog, recordingLog } from "./recording-log.ts";
import { hashText, openStore } from "./store.ts";

/** The ports of the rules, all real except the clock. */
export interface CoreServices {
  readonly clock: FakeClock;
  readonly store: SqliteStore;
  readonly log: RecordingLog;
  readonly events: EventLog;
  readonly passwords: Passwords;
  readonly credentialCache: CredentialCache;
  onFactorsChanged(id: UserId): void;
  readonly tokens: SessionTokens;
  readonly recorder: SessionRecorder;
  readonly signInLimiter: AttemptLimiter;
  readonly passkeyLimiter: AttemptLimiter;
  readonly linkLimiter: AttemptLimiter;
  readonly codeLimiter: AttemptLimiter;
  readonly handoffLimiter: AttemptLimiter;
  readonly seals: Seals;
  insertOwner(hash?: PasswordHash): Promise<StoredUser>;
  /** Closes the event log and returns what it wrote. */
  writtenEntries(): Promise<readonly string[]>;
}

export async function createCoreServices(t: TestContext, file?: string): Promise<CoreServices> {
  const clock = fakeClock();
  const store = await openStore(t, file);
  const log = recordingLog();
  const events = createEventLog(store.log, clock, log);
  const passwords = createPasswords({ atOnce: 2, waiting: 64 });
  const credentialCache = createCredentialCache(store, clock);
  return {
    clock,
    store,
    log,
    events,
    passwords,
    credentialCache,
    onFactorsChanged: credentialCache.forget,
    tokens: createSessionTokens(SECRET, clock),
    recorder: createSessionRecorder(store.sessions, clock, log),
    signInLimiter: createAttemptLimiter(clock),
    passkeyLimiter: createAttemptLimiter(clock),
    linkLimiter: createAttemptLimiter(clock),
    codeLimiter: createAttemptLimiter(clock),
    handoffLimiter: createAttemptLimiter(clock, handoffRule),
    seals: createSeals(SECRET),

    async insertOwner(hash) {
      const passwordHash = hash ?? (await passwords.hash(OWNER.password));
      const user = await store.users.insertFirst({ username: OWNER.username, passwordHash });
      if (user === undefined) throw new Error("an account already exists");
      return { ...user, passwordHash };
    },

    async writtenEntries() {
      await events.close();
      const entries = await store.log.read({ afterId: 0, limit: 100 });
      // Guests whose time has ended are removed by nobody.
      for (const { type, address } of entries)
        assert.ok(address || type === "user_remove", `${type} says from where`);
      return entries.map(({ type, summary }) => `${type}: ${summary}`);
    },
  };
}

/** Pending sign-outs of a process that has signed no session out. */
export const NO_SIGN_OUTS: Pick<PendingSignOuts, "has"> = { has: () => false };

/** The ports, but this happens before a password is hashed. */
export const hashingAfter = <Ports extends { readonly passwords: Passwords }>(
  ports: Ports,
  change: () => Promise<unknown>,
): Ports => ({
  ...ports,
  passwords: {
    ...ports.passwords,
    hash: (...given) => change().then(() => ports.passwords.hash(...given)),
  },
});

export interface SignedInOwner {
  readonly ports: CoreServices;
  readonly token: string;
  readonly user: User;
  readonly requireUser: AuthenticateToken;
}

/** The ports with one account and a session of it. */
export async function signedInOwner(t: TestContext): Promise<SignedInOwner> {
  const ports = await createCoreServices(t);
  const { id, username } = await ports.insertOwner(hashText("a hash"));
  const token = ports.tokens.issue(id).text;
  const requireUser = createAuthenticateToken(
    ports.tokens,
    createSessionCache(ports.credentialCache),
    ports.clock,
    {
      store: ports.store.sessions,
      pendingSignOuts: NO_SIGN_OUTS,
    },
  );
  return { ports, token, user: { id, username }, requireUser };
}
