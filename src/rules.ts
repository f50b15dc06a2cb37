import type { ApiPorts } from "./account-api.ts";
import { livingUsers } from "./core/accounts/living-users.ts";
import type { Clock } from "./core/base/clock.ts";
import { Fault } from "./core/base/fault.ts";
import { recently } from "./core/base/recently.ts";
import type { ServerLog } from "./core/base/server-log.ts";
import { createRequiredFactor } from "./core/codes/required-factor.ts";
import {
  type AttemptLimiter,
  CLEAN_UP_EVERY_MS,
  createAttemptLimiter,
  linkRule,
} from "./core/limits/attempt-limiter.ts";
import { createLimiter, type Limiter } from "./core/limits/shared-limiter.ts";
import { SUM_UP_EVERY_MS } from "./core/log/bounded-log.ts";
import { createEventListener } from "./core/log/event-listener.ts";
import { createEventLog } from "./core/log/event-log.ts";
import type { Event } from "./core/log/events.ts";
import { createPasswords, type Passwords } from "./core/passwords/passwords.ts";
import { createAssertions } from "./core/sessions/assertions.ts";
import {
  createRequireAuth,
  createRequireUser,
  createTokenMemory,
} from "./core/sessions/require-user.ts";
import { createSeals } from "./core/sessions/seals.ts";
import { createSessionRecorder } from "./core/sessions/session-recorder.ts";
import { createSessionRules } from "./core/sessions/session-rules.ts";
import {
  createSessionTokens,
  isRecentSignIn,
  type VerifiedToken,
} from "./core/sessions/session-token.ts";
import { createWaitingEnds, signOut } from "./core/sessions/sign-out.ts";
import { createUserMemory } from "./core/sessions/user-memory.ts";
import { setUp } from "./core/setup/set-up.ts";
import { changePassword } from "./core/sign-in/change-password.ts";
import { type SignInOutcome, signIn } from "./core/sign-in/sign-in.ts";
import type { GateParts, SettledOptions } from "./options.ts";
import {
  codeRules,
  deviceRules,
  keyRules,
  linkRules,
  passkeyRules,
  peopleRules,
} from "./part-rules.ts";
import { type CookieGuard, readingCookies } from "./web/answers/session-cookie.ts";
import type { WebRules } from "./web/ports.ts";
/** The rules, with their store, clocks, caches, limiter and log. */
export interface Rules extends WebRules {
  readonly requireUser: CookieGuard;
  /** For what an app does with accounts by itself. */
  readonly ports: Omit<ApiPorts, "proxies" | "cookieDomain">;
  /** Writes what still waits: log entries, and sums of the server log. */
  close(): Promise<void>;
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** What the rules get in place of the system's clocks and slow hashes, where time is simulated. */
export interface RuleParts {
  readonly clock?: Clock;
  readonly passwords?: Passwords;
}

/** Creates the rules. `log` adds the request's ID to each line. */
export function createRules(
  settled: SettledOptions & GateParts,
  log: ServerLog,
  {
    clock = systemClock,
    passwords = createPasswords(settled.signIn.hashing, log, settled.meter.hashes),
  }: RuleParts = {},
): Rules {
  const { meter, setupToken, setUpDomain, onEvent } = settled;
  const store = livingUsers(settled.store, clock);
  // What can throw comes first, so that no watch on the store is left behind.
  const attempts = settled.signIn.limiter === "shared" ? store.attempts : undefined;
  if (settled.signIn.limiter === "shared" && attempts === undefined) {
    const takes = "signIn.limiter takes shared only with a store that counts attempts";
    throw new Fault("invalid_option", takes);
  }
  const { limitIpv6Prefix: ipv6Prefix } = settled.signIn;
  const limiterOf = (own: AttemptLimiter, kind?: "passkey" | "link"): Limiter =>
    createLimiter(own, { shared: attempts, ipv6Prefix, kind }, log);
  const ownLimiter = createAttemptLimiter(clock);
  const limiter = limiterOf(ownLimiter);
  const passkeyLimiter = limiterOf(createAttemptLimiter(clock), "passkey");
  const linkLimiter = limiterOf(createAttemptLimiter(clock, linkRule), "link");
  if (settled.guards.keys && store.keys === undefined) {
    throw new Fault("invalid_option", "guards.keys takes true only with a store that keeps keys");
  }
  const { secret, previousSecrets, sessions: given } = settled;
  const tokens = createSessionTokens(secret, clock, previousSecrets, given.lifetime);
  const seals = createSeals(secret, previousSecrets);
  const codeLimiter = createAttemptLimiter(clock);
  const keyLimiter = createAttemptLimiter(clock);
  // Entries are written in the background, in batches: lines about that belong to no request.
  const events = createEventLog(store.log, clock, settled.log, {
    meter: meter.entries,
    ...(onEvent && { onStored: createEventListener(onEvent, store.log, settled.log) }),
  });
  const factorOf = createRequiredFactor(settled.requireSecondFactor, store);
  const users = createUserMemory(store, clock, factorOf);
  const sessions = createSessionRecorder(
    given.list ? store.sessions : undefined,
    clock,
    settled.log,
  );
  const tokenMemory = createTokenMemory();
  const ended = store.sessions && { store: { ...store, sessions: store.sessions }, clock, users };
  // A single session ends at once, or as soon as the store answers.
  const ending = ended && {
    ...ended,
    waiting: createWaitingEnds({ ...ended, log: settled.log }),
  };
  const anyCodes = recently(async () => (await store.codes?.any()) ?? false, clock);
  const requireUser = createRequireUser(tokens, users, clock, {
    remembered: tokenMemory,
    store: store.sessions,
    recorder: sessions,
    waiting: ending?.waiting,
  });
  /** Without a second verification of a token that a guard has admitted. */
  const verify = (text: string) => tokenMemory.get(text)?.token ?? tokens.verify(text);
  const tokenIn = (text: string): VerifiedToken | undefined => {
    const token = verify(text);
    return typeof token === "object" ? token : undefined;
  };
  const isGenuine = (text: string): boolean => verify(text) !== "forged";
  const ports = {
    users,
    store,
    tokens,
    passwords,
    events,
    sessions,
    limiter,
    log,
    setupToken,
    setUpDomain,
    seals,
    codeLimiter,
    clock,
    devices: settled.signIn.rememberDevice ? store.devices : undefined,
    /** For what the app does by itself. */
    async record(event: Event) {
      if (event.userId !== undefined) users.forget(event.userId);
      events.record(event);
    },
  };

  meter.watch({
    trackedAddresses: () => ownLimiter.tracked,
    waitingEntries: () => events.waiting,
    rememberedSessions: () => tokenMemory.size,
    rememberedUsers: () => users.size,
  });
  const links = linkRules(store, { ...ports, limiter: linkLimiter });
  const cleaning = setInterval(() => {
    for (const one of [limiter, passkeyLimiter, linkLimiter, codeLimiter, keyLimiter])
      one.cleanUp();
    void links?.removeEnded();
  }, CLEAN_UP_EVERY_MS).unref();
  const summing = setInterval(() => settled.log.sumUp(), SUM_UP_EVERY_MS).unref();

  const counted = (outcome: SignInOutcome): SignInOutcome => {
    meter.signInDecided(outcome.kind);
    return outcome;
  };

  return {
    signIn: async (attempt) => counted(await signIn(ports, attempt)),
    passkeys: passkeyRules({ ...settled, store }, { ...ports, limiter: passkeyLimiter }, counted),
    setUp: (form, client) => setUp(ports, form, client),
    changePassword: (userId, form, client) => changePassword(ports, userId, form, client),
    requireAuth: readingCookies(createRequireAuth(users, requireUser), isGenuine),
    requireUser: readingCookies(requireUser, isGenuine),
    isGenuine,
    isRecent(text) {
      const token = tokenIn(text);
      return token !== undefined && isRecentSignIn(token, clock);
    },
    proven(text) {
      const token = tokenIn(text);
      return token && tokens.proven(token);
    },
    users,
    signOut: async (cookies, client, of) =>
      ending === undefined ? "ended" : signOut({ ...ports, ...ending }, cookies, client, of),
    sessions:
      ending && given.list ? createSessionRules({ ...ports, ...ending, tokenIn }) : undefined,
    recentLog: events.recentOf,
    codes: codeRules({ ...settled, store }, ports, anyCodes),
    devices: deviceRules(store, ports),
    links,
    people: peopleRules(settled, store.users, ports),
    asksForCodes: anyCodes.read,
    ports,
    keys: keyRules(settled, { ...ports, keyLimiter }),
    assertions:
      settled.assertions === "on" ? createAssertions(secret, clock, previousSecrets) : undefined,
    async close() {
      clearInterval(cleaning);
      clearInterval(summing);
      await Promise.all([events.close(), sessions.flush(), users.close(), ending?.waiting.close()]);
      settled.log.sumUp();
    },
  };
}
