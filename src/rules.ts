import { keepsExtras } from "./core/accounts/extras.ts";
import type { Clock } from "./core/base/clock.ts";
import { Fault } from "./core/base/fault.ts";
import type { ServerLog } from "./core/base/server-log.ts";
import { type TurnOffCodesPorts, turnOffCodes } from "./core/codes/turn-off-codes.ts";
import { beginCodes, confirmCodes, type TurnOnCodesPorts } from "./core/codes/turn-on-codes.ts";
import {
  type AttemptLimiter,
  CLEAN_UP_EVERY_MS,
  createAttemptLimiter,
} from "./core/limits/attempt-limiter.ts";
import {
  type AttemptCounter,
  createSharedLimiter,
  type Limiter,
  limitByNetwork,
} from "./core/limits/shared-limiter.ts";
import { SUM_UP_EVERY_MS } from "./core/log/bounded-log.ts";
import { createEventLog } from "./core/log/event-log.ts";
import { recentLog } from "./core/log/log-reader.ts";
import { createChallenges } from "./core/passkeys/challenges.ts";
import { createPasswords } from "./core/passwords/passwords.ts";
import { createAccountSessions } from "./core/sessions/account-sessions.ts";
import { createCurrentUser, createSessionMemory } from "./core/sessions/current-user.ts";
import { createRequireAuth, createRequireUser } from "./core/sessions/require-user.ts";
import { createSeals } from "./core/sessions/seals.ts";
import { createSessionRecorder } from "./core/sessions/session-recorder.ts";
import { keepsSessions } from "./core/sessions/session-store.ts";
import { createSessionTokens } from "./core/sessions/session-token.ts";
import { endSessionOf, signOut } from "./core/sessions/sign-out.ts";
import { createUserMemory } from "./core/sessions/user-memory.ts";
import { createWaitingEnds } from "./core/sessions/waiting-ends.ts";
import { setUp } from "./core/setup/set-up.ts";
import { changePassword } from "./core/sign-in/change-password.ts";
import { type SignInOutcome, type SignInPorts, signIn } from "./core/sign-in/sign-in.ts";
import type { AuthParts, SettledOptions } from "./options.ts";
import { type CookieGuard, readingCookies } from "./web/answers/session-cookie.ts";
import type { CodeRules, PasskeyRules, WebRules } from "./web/ports.ts";

/** The rules, with their store, clocks, caches, limiter and log. */
export interface Rules extends WebRules {
  readonly requireUser: CookieGuard;
  /** Writes what still waits: log entries, and sums of the server log. */
  close(): Promise<void>;
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** Creates the rules. `log` adds the request's ID to each line. */
export function createRules(settled: AuthParts, log: ServerLog): Rules {
  const { store, meter, setupToken, setUpDomain } = settled;
  // What can throw comes first, so that no watch on the store is left behind.
  const ownLimiter = createAttemptLimiter(systemClock);
  const sessionStore = keepsSessions(store) ? store : undefined;
  const listedStore = settled.sessions.list ? sessionStore : undefined;
  const { limitIpv6Prefix } = settled.signIn;
  const limiter = limitByNetwork(limiterFor(settled, ownLimiter, log), limitIpv6Prefix);
  const ofPasskeys = limiterFor(settled, createAttemptLimiter(systemClock), log);
  const passkeyLimiter = limitByNetwork(ofPasskeys, limitIpv6Prefix, "passkey");
  const tokens = createSessionTokens(settled.secret, systemClock, settled.previousSecrets);
  const seals = createSeals(settled.secret, settled.previousSecrets);
  const codeLimiter = createAttemptLimiter(systemClock);
  const passwords = createPasswords(settled.signIn.hashing, log, meter.hashes);
  // Entries are written in the background, in batches: lines about that belong to no request.
  const events = createEventLog(store, systemClock, settled.log, meter.entries);
  const users = createUserMemory(store, systemClock);
  const sessions = createSessionRecorder(listedStore, systemClock, settled.log);
  const sessionMemory = createSessionMemory();
  const ending = sessionStore && { store: sessionStore, clock: systemClock, users };
  const waiting =
    ending &&
    createWaitingEnds((token) => endSessionOf(ending, token), users, systemClock, settled.log);
  const currentUser = createCurrentUser(tokens, users, systemClock, {
    sessions: sessionMemory,
    recorder: sessions,
    waiting,
  });
  const remembered = (token: string) => sessionMemory.get(token)?.token;
  const isGenuine = (token: string): boolean =>
    remembered(token) !== undefined || tokens.verify(token) !== "forged";
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
    clock: systemClock,
  };

  meter.watch({
    trackedAddresses: () => ownLimiter.tracked,
    waitingEntries: () => events.waiting,
    rememberedSessions: () => sessionMemory.size,
    rememberedUsers: () => users.size,
  });
  const cleaning = setInterval(() => {
    for (const one of [limiter, passkeyLimiter, codeLimiter]) one.cleanUp();
  }, CLEAN_UP_EVERY_MS).unref();
  const summing = setInterval(() => settled.log.sumUp(), SUM_UP_EVERY_MS).unref();

  const counted = (outcome: SignInOutcome): SignInOutcome => {
    meter.signInDecided(outcome.kind);
    return outcome;
  };

  return {
    signIn: async (attempt) => counted(await signIn(ports, attempt)),
    passkeys: passkeyRules(settled, { ...ports, limiter: passkeyLimiter }, counted),
    setUp: (form, client) => setUp(ports, form, client),
    changePassword: (userId, form, client) => changePassword(ports, userId, form, client),
    requireAuth: readingCookies(createRequireAuth(users, currentUser), isGenuine),
    requireUser: readingCookies(createRequireUser(currentUser), isGenuine),
    isGenuine,
    users,
    signOut: async (cookies, of) =>
      ending && waiting ? signOut({ ...ports, ...ending, waiting }, cookies, of) : "ended",
    sessions: listedStore && createAccountSessions({ ...ports, store: listedStore, remembered }),
    recentLog: recentLog(store, events),
    codes: settled.signIn.codes && keepsExtras(store) ? codeRules({ ...ports, store }) : undefined,
    async close() {
      clearInterval(cleaning);
      clearInterval(summing);
      await Promise.all([events.close(), sessions.flush(), users.close(), waiting?.close()]);
      settled.log.sumUp();
    },
  };
}

function codeRules(ports: TurnOnCodesPorts & TurnOffCodesPorts): CodeRules {
  return {
    begin: (userId, password, client) => beginCodes(ports, userId, password, client),
    confirm: (userId, sealed, code) => confirmCodes(ports, userId, sealed, code),
    turnOff: (userId, form, client) => turnOffCodes(ports, userId, form, client),
  };
}

/** `undefined` if they are left out, or the store does not keep them. Each is loaded on first use. */
function passkeyRules(
  { signIn: { passkeys }, store, secret, previousSecrets }: SettledOptions,
  given: SignInPorts,
  counted: (outcome: SignInOutcome) => SignInOutcome,
): PasskeyRules | undefined {
  if (!passkeys || !keepsExtras(store)) return undefined;
  const challenges = createChallenges([secret, ...previousSecrets], given.clock);
  const ports = { ...given, store, challenges };
  return {
    async begin(...args) {
      const { beginPasskey } = await import("./core/passkeys/begin-passkey.ts");
      return beginPasskey(ports, ...args);
    },
    async add(...args) {
      const { addPasskey } = await import("./core/passkeys/add-passkey.ts");
      return addPasskey(ports, ...args);
    },
    async remove(...args) {
      const { removePasskey } = await import("./core/passkeys/remove-passkey.ts");
      return removePasskey(ports, ...args);
    },
    challenge: () => challenges.issue("sign-in"),
    async signIn(...args) {
      const { signInWithPasskey } = await import("./core/passkeys/sign-in-with-passkey.ts");
      return counted(await signInWithPasskey(ports, ...args));
    },
  };
}

/** A shared limiter needs a store that counts attempts. */
function limiterFor(
  { signIn: { limiter }, store }: SettledOptions,
  own: AttemptLimiter,
  log: ServerLog,
): Limiter {
  if (limiter === "own") return own;
  if (!countsAttempts(store)) {
    throw new Fault(
      "invalid_option",
      "signIn.limiter takes shared only with a store that counts attempts",
    );
  }
  return createSharedLimiter(store, own, log);
}

const countsAttempts = (store: Partial<AttemptCounter>): store is AttemptCounter =>
  store.recordAttempt !== undefined && store.forgetAttempts !== undefined;
