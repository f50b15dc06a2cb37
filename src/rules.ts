import type { Clock } from "./core/base/clock.ts";
import { recently } from "./core/base/recently.ts";
import type { ServerLog } from "./core/base/server-log.ts";
import { createRequiredFactor } from "./core/codes/required-factor.ts";
import { createKeyGuard, type KeyGuard } from "./core/keys/key-guard.ts";
import {
  type AttemptLimiter,
  CLEAN_UP_EVERY_MS,
  createAttemptLimiter,
  handoffRule,
  linkRule,
} from "./core/limits/attempt-limiter.ts";
import { createLimiter, type Limiter } from "./core/limits/shared-limiter.ts";
import { removeEndedLinks } from "./core/links/use-link.ts";
import { SUM_UP_EVERY_MS } from "./core/log/bounded-log.ts";
import { createEventListener } from "./core/log/event-listener.ts";
import { createEventLog } from "./core/log/event-log.ts";
import type { Event } from "./core/log/events.ts";
import { createChallenges } from "./core/passkeys/challenges.ts";
import { createPasswords, type Passwords } from "./core/passwords/passwords.ts";
import { createAssertions } from "./core/sessions/assertions.ts";
import { createCredentialCache } from "./core/sessions/credential-cache.ts";
import {
  createRequireAuth,
  createRequireUser,
  createSessionCache,
} from "./core/sessions/require-user.ts";
import { createSeals } from "./core/sessions/seals.ts";
import { createSessionRecorder } from "./core/sessions/session-recorder.ts";
import { createSessionTokens } from "./core/sessions/session-token.ts";
import { createWaitingEnds } from "./core/sessions/waiting-ends.ts";
import type { UserId } from "./db/records.ts";
import type { GateParts, SettledOptions } from "./options.ts";
import { readSessionCookie } from "./web/answers/session-cookie.ts";
import type { RulePorts } from "./web/services.ts";

/** The ports of the rules, with their store, clocks, caches, limiter and log. */
export interface Rules {
  readonly rules: RulePorts;
  /** `undefined` if guards do not admit keys. */
  readonly keyGuard: KeyGuard | undefined;
  /** Writes what still waits: log entries, and sums of the server log. */
  close(): Promise<void>;
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** What the rules get in place of the system's clocks and slow hashes, where time is simulated. */
interface Simulated {
  readonly clock?: Clock;
  readonly passwords?: Passwords;
}

/** Creates the ports of the rules. `log` adds the request's ID to each line. */
export function createRules(
  settled: SettledOptions & GateParts,
  log: ServerLog,
  {
    clock = systemClock,
    passwords = createPasswords(settled.signIn.hashing, log, settled.meter.hashes),
  }: Simulated = {},
): Rules {
  const { meter, setupToken, setUpDomain, onEvent, secret, previousSecrets, signIn } = settled;
  const { store } = settled;
  const tokens = createSessionTokens(secret, clock, previousSecrets, settled.sessions.lifetime);
  // Entries are written in the background, in batches: lines about that belong to no request.
  const events = createEventLog(store.log, clock, settled.log, {
    meter: meter.entries,
    ...(onEvent && { onStored: createEventListener(onEvent, store.log, settled.log) }),
  });
  const factorOf = createRequiredFactor(settled.requireSecondFactor, store);
  const memory = createCredentialCache(store, clock, factorOf);
  const recorder = createSessionRecorder(
    settled.sessions.list ? store.sessions : undefined,
    clock,
    settled.log,
  );

  const limiterOf = (own: AttemptLimiter, kind?: "passkey" | "link"): Limiter => {
    const shared = signIn.limiter === "shared" ? store.attempts : undefined;
    return createLimiter(own, { shared, ipv6Prefix: signIn.limitIpv6Prefix, kind }, log);
  };
  const ownSignInLimiter = createAttemptLimiter(clock);
  const signInLimiter = limiterOf(ownSignInLimiter);
  const passkeyLimiter = limiterOf(createAttemptLimiter(clock), "passkey");
  const linkLimiter = limiterOf(createAttemptLimiter(clock, linkRule), "link");
  const codeLimiter = createAttemptLimiter(clock);
  const keyLimiter = createAttemptLimiter(clock);
  const handoffLimiter = createAttemptLimiter(clock, handoffRule);

  const limiters = [
    signInLimiter,
    passkeyLimiter,
    linkLimiter,
    codeLimiter,
    keyLimiter,
    handoffLimiter,
  ];

  const anyFactor = {
    codes: recently(() => store.codes.any(), clock),
    passkeys: recently(() => store.passkeys.any(), clock),
  };
  const ports = {
    store,
    clock,
    tokens,
    memory,
    passwords,
    events,
    recorder,
    log,
    signInLimiter,
    passkeyLimiter,
    linkLimiter,
    codeLimiter,
    handoffLimiter,
    setupToken,
    setUpDomain,
    anyFactor,
    seals: createSeals(secret, previousSecrets),
    challenges: createChallenges([secret, ...previousSecrets], clock),
    /** For what the app does by itself. */
    async record(event: Event) {
      if (event.userId !== undefined) memory.forget(event.userId);
      events.record(event);
    },
    factorsChanged(id: UserId) {
      anyFactor.codes.forget();
      anyFactor.passkeys.forget();
      memory.forget(id);
    },
  };
  const waiting = createWaitingEnds(ports);
  const sessionCache = createSessionCache(memory);
  const requireUser = createRequireUser(tokens, sessionCache, clock, {
    store: store.sessions,
    recorder,
    waiting,
  });
  /** Without a second verification of a token that a guard has admitted. */
  const isGenuine = (token: string): boolean =>
    sessionCache.findVerified(token) !== undefined || tokens.verify(token) !== "forged";
  const rules: RulePorts = {
    ...ports,
    waiting,
    authenticate: readSessionCookie(createRequireAuth(memory, requireUser), isGenuine),
    authenticateOnceSetUp: readSessionCookie(requireUser, isGenuine),
    assertions:
      settled.assertions === "on" ? createAssertions(secret, clock, previousSecrets) : undefined,
  };

  meter.watch({
    trackedAddresses: () => ownSignInLimiter.tracked,
    waitingEntries: () => events.waiting,
    rememberedSessions: () => sessionCache.size,
    rememberedUsers: memory.countAccounts,
  });
  const cleaning = setInterval(() => {
    for (const limiter of limiters) limiter.cleanUp();
    void removeEndedLinks(rules);
  }, CLEAN_UP_EVERY_MS).unref();
  const summing = setInterval(() => {
    settled.log.sumUp();
    events.sumUp();
  }, SUM_UP_EVERY_MS).unref();

  return {
    rules,
    keyGuard: settled.guards.keys
      ? createKeyGuard({
          memory,
          log,
          clock,
          keyLimiter,
          limitIpv6Prefix: signIn.limitIpv6Prefix,
          store: store.keys,
        })
      : undefined,
    async close() {
      clearInterval(cleaning);
      clearInterval(summing);
      await Promise.all([events.close(), recorder.flush(), waiting?.close()]);
      settled.log.sumUp();
    },
  };
}
