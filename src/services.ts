import { createEventListener } from "./audit/event-listener.ts";
import { createEventLog } from "./audit/event-log.ts";
import type { NewAuditEvent } from "./audit/events.ts";
import type { UserId } from "./db/records.ts";
import { createAppDirectory } from "./features/apps/app-directory.ts";
import { createAppUseRecorder } from "./features/apps/app-use-recorder.ts";
import type { RuleServices } from "./features/context.ts";
import { createAssertions } from "./features/forward-auth/assertions.ts";
import { removeEndedLinks } from "./features/links/use-link.ts";
import { removeExpiredGrants } from "./features/oidc/remove-expired-grants.ts";
import { readSigningKeys } from "./features/oidc/signing-keys.ts";
import { createChallenges } from "./features/passkeys/challenges.ts";
import { createProviderClients } from "./features/sign-in-with/provider-clients.ts";
import { removeExpiredSignUps } from "./features/sign-up/decide.ts";
import { createAuthenticateCookies } from "./http/session-cookie.ts";
import {
  type AttemptLimiter,
  appSignInRule,
  CLEAN_UP_EVERY_MS,
  confirmationRule,
  createAttemptLimiter,
  handoffRule,
  linkRule,
} from "./identity/attempt-limiter.ts";
import { type AuthenticateKey, createAuthenticateKey } from "./identity/authenticate-key.ts";
import {
  checkSetupFirst,
  createAuthenticateToken,
  createSessionCache,
} from "./identity/authenticate-session.ts";
import { createCredentialCache } from "./identity/credential-cache.ts";
import { createPasswords, type Passwords } from "./identity/passwords.ts";
import { createPendingSignOuts } from "./identity/pending-sign-outs.ts";
import { createFactorCheck } from "./identity/required-factor.ts";
import { createSeals } from "./identity/seals.ts";
import { createSessionRecorder } from "./identity/session-recorder.ts";
import { createSessionTokens, type SessionTokens } from "./identity/session-token.ts";
import { createLimiter, type Limiter } from "./identity/shared-limiter.ts";
import { SUM_UP_EVERY_MS } from "./lib/bounded-log.ts";
import type { Clock } from "./lib/clock.ts";
import { recently } from "./lib/recently.ts";
import type { ServerLog } from "./lib/server-log.ts";
import { createMessaging } from "./mail/messaging.ts";
import type { GateOptions, SettledOptions } from "./options.ts";

/** Contains the services of the rules: their store, clocks, caches, limiters and log. */
export interface CreatedServices {
  readonly rules: RuleServices;
  /** This is `undefined` if guards do not admit API keys. */
  readonly authenticateKey: AuthenticateKey | undefined;
  /** Writes what is still waiting: audit log entries and the summary lines of the server log. */
  close(): Promise<void>;
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** Replaces the system's clocks and slow hashes where tests simulate time. */
interface Simulation {
  readonly clock?: Clock;
  readonly passwords?: Passwords;
}

/** Creates the services of the rules. `log` adds the request's ID to each line. */
export function createServices(
  settled: SettledOptions & GateOptions,
  log: ServerLog,
  {
    clock = systemClock,
    passwords = createPasswords(settled.signIn.hashing, log, settled.meter.hashes),
  }: Simulation = {},
): CreatedServices {
  const { meter, setupToken, setUpDomain, onEvent, secret, previousSecrets, signIn } = settled;
  const { store } = settled;
  const signed = createSessionTokens(secret, clock, previousSecrets, settled.sessions.lifetime);
  // Entries are written in batches in the background, so log lines about this work belong to no
  // request.
  const seals = createSeals(secret, previousSecrets);
  const { locale } = settled.pages;
  const { outbox, mailing, tell } = createMessaging(
    { store, clock, seals, log: settled.log },
    { mail: settled.mail ? "on" : "off", locale, events: settled.notify?.events },
  );
  const events = createEventLog(store.log, clock, settled.log, {
    meter: meter.entries,
    ...(outbox && { beforeStored: tell }),
    ...(onEvent && { onStored: createEventListener(onEvent, store.log, settled.log) }),
  });
  const findFactor = createFactorCheck(settled.requireSecondFactor, store);
  const credentialCache = createCredentialCache(store, clock, findFactor);
  const sessionCache = createSessionCache(credentialCache);
  const tokens: SessionTokens = {
    ...signed,
    // The signature of a token that a guard has admitted is not verified again.
    verify(text) {
      const known = sessionCache.findVerified(text);
      return known !== undefined && known.expiresAt > clock.now() ? known : signed.verify(text);
    },
  };
  const recorder = createSessionRecorder(
    settled.sessions.list ? store.sessions : undefined,
    clock,
    settled.log,
  );

  const buildLimiter = (
    attemptLimiter: AttemptLimiter,
    kind?: "passkey" | "link" | "forgot" | "provider",
  ): Limiter => {
    const shared = signIn.limiter === "shared" ? store.attempts : undefined;
    return createLimiter(attemptLimiter, { shared, ipv6Prefix: signIn.limitIpv6Prefix, kind }, log);
  };
  const ownSignInLimiter = createAttemptLimiter(clock);
  const signInLimiter = buildLimiter(ownSignInLimiter);
  const passkeyLimiter = buildLimiter(createAttemptLimiter(clock), "passkey");
  const linkLimiter = buildLimiter(createAttemptLimiter(clock, linkRule), "link");
  const providerLimiter = buildLimiter(createAttemptLimiter(clock, linkRule), "provider");
  const forgotLimiter = buildLimiter(createAttemptLimiter(clock), "forgot");
  const confirmationLimiter = createAttemptLimiter(clock, confirmationRule);
  const codeLimiter = createAttemptLimiter(clock);
  const keyLimiter = createAttemptLimiter(clock);
  const handoffLimiter = createAttemptLimiter(clock, handoffRule);
  const appSignInLimiter = createAttemptLimiter(clock, appSignInRule);

  const limiters = [
    signInLimiter,
    passkeyLimiter,
    linkLimiter,
    providerLimiter,
    forgotLimiter,
    confirmationLimiter,
    codeLimiter,
    keyLimiter,
    handoffLimiter,
    appSignInLimiter,
  ];

  const anyFactor = {
    codes: recently(() => store.codes.any(), clock),
    passkeys: recently(() => store.passkeys.any(), clock),
  };
  const services = {
    store,
    clock,
    tokens,
    credentialCache,
    passwords,
    events,
    recorder,
    log,
    signInLimiter,
    passkeyLimiter,
    linkLimiter,
    forgotLimiter,
    confirmationLimiter,
    codeLimiter,
    handoffLimiter,
    providerLimiter,
    getProviderClient: createProviderClients(signIn.with, clock),
    appSignInLimiter,
    setupToken,
    setUpDomain,
    anyFactor,
    appDirectory: createAppDirectory(store.apps, clock),
    appUses: createAppUseRecorder(store.appUses, clock, settled.log),
    seals,
    outbox,
    mailing,
    signUp: signIn.signUp,
    challenges: createChallenges([secret, ...previousSecrets], clock),
    /** Records what the app does through its account API. */
    record: (event: NewAuditEvent) => events.record(event),
    onFactorsChanged(id: UserId) {
      anyFactor.codes.forget();
      anyFactor.passkeys.forget();
      credentialCache.forget(id);
    },
  };
  const pendingSignOuts = createPendingSignOuts(services);
  const authenticateToken = createAuthenticateToken(tokens, sessionCache, clock, {
    store: store.sessions,
    recorder,
    pendingSignOuts,
  });
  const isGenuine = (token: string): boolean => tokens.verify(token) !== "forged";
  const signingKeys = recently(() => readSigningKeys(services), clock);
  const rules: RuleServices = {
    ...services,
    signingKeys,
    pendingSignOuts,
    authenticate: createAuthenticateCookies(
      checkSetupFirst(credentialCache, authenticateToken),
      isGenuine,
    ),
    authenticateOnceSetUp: createAuthenticateCookies(authenticateToken, isGenuine),
    assertions: settled.assertions === "on" ? createAssertions(signingKeys.read, clock) : undefined,
  };

  meter.watch({
    countTrackedAddresses: () => ownSignInLimiter.tracked,
    countWaitingEntries: () => events.waiting,
    countRememberedSessions: () => sessionCache.size,
    countRememberedUsers: credentialCache.countAccounts,
  });
  const cleanUpTimer = setInterval(() => {
    for (const limiter of limiters) limiter.cleanUp();
    void removeEndedLinks(rules);
    void removeExpiredGrants(rules);
    void removeExpiredSignUps(rules);
  }, CLEAN_UP_EVERY_MS).unref();
  const sumUpTimer = setInterval(() => {
    settled.log.sumUp();
    events.sumUp();
  }, SUM_UP_EVERY_MS).unref();

  return {
    rules,
    authenticateKey: settled.guards.keys
      ? createAuthenticateKey({
          credentialCache,
          log,
          clock,
          keyLimiter,
          limitIpv6Prefix: signIn.limitIpv6Prefix,
          store: store.keys,
        })
      : undefined,
    async close() {
      clearInterval(cleanUpTimer);
      clearInterval(sumUpTimer);
      await Promise.all([
        events.close(),
        recorder.flush(),
        services.appUses.flush(),
        pendingSignOuts.close(),
      ]);
      settled.log.sumUp();
    },
  };
}
