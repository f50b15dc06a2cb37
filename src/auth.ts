import type { Hono } from "hono";
import { CLEAN_UP_EVERY_MS, createAttemptLimiter } from "./core/attempt-limiter.ts";
import { changePassword } from "./core/change-password.ts";
import type { Clock } from "./core/clock.ts";
import { createCurrentUser } from "./core/current-user.ts";
import { createEventLog } from "./core/event-log.ts";
import { createPasswords } from "./core/passwords.ts";
import { createRequireAuth, createRequireUser } from "./core/require-user.ts";
import { createSessionTokens } from "./core/session-token.ts";
import { setUp } from "./core/set-up.ts";
import { signIn } from "./core/sign-in.ts";
import type { User } from "./core/store.ts";
import { createUserMemory } from "./core/user-memory.ts";
import { type AuthOptions, settleOptions } from "./options.ts";
import { createRoutes } from "./web/app.ts";
import { createGuardMiddleware, type GuardMiddleware } from "./web/guards.ts";
import { loadPages } from "./web/pages.ts";
import { createRemoteAddress } from "./web/remote-address.ts";
import { createResponses } from "./web/responses.ts";
import { sessionTokenIn } from "./web/session-cookie.ts";
import { createViews } from "./web/views.ts";

/** The little of a Fetch request that tells who sent it. */
export interface RequestWithCookies {
  readonly headers: { get(name: string): string | null };
}

export interface Auth {
  /** Sign-in, setup, sign-out, password change and the home page: mount it with `app.route`. */
  readonly routes: Hono;
  /** Lets signed-in users through; leads others to the sign-in, or to the setup while there is no account. */
  readonly requireAuth: GuardMiddleware;
  /** The same for whole handlers, without the look at the number of accounts. */
  readonly authMiddleware: GuardMiddleware;
  currentUser(request: RequestWithCookies): Promise<User | undefined>;
  /** Writes the log entries that are still waiting. The store stays open. */
  close(): Promise<void>;
}

const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** Puts the rules, a store and the web together. */
export function createAuth(options: AuthOptions): Auth {
  const settled = settleOptions(options);
  const { store, log, postLoginLocation, setupToken, setUpDomain } = settled;

  const users = createUserMemory(store, systemClock);
  const tokens = createSessionTokens(settled.secret, systemClock);
  const passwords = createPasswords(settled.hashing);
  const events = createEventLog(store, systemClock, log);
  const limiter = createAttemptLimiter(systemClock);
  const currentUser = createCurrentUser(tokens, users, systemClock);
  const core = { users, store, tokens, passwords, events, limiter, log, setupToken, setUpDomain };

  const pages = loadPages(settled.pagesDir);
  const responses = createResponses(postLoginLocation);
  const views = createViews({ pages, responses, users, currentUser, log });
  const guard = (decide: ReturnType<typeof createRequireUser>): GuardMiddleware =>
    createGuardMiddleware(decide, responses, views);
  const requireAuth = guard(createRequireAuth(users, currentUser));

  const routes = createRoutes({
    signIn: (attempt) => signIn(core, attempt),
    setUp: (form) => setUp(core, form),
    changePassword: (userId, form) => changePassword(core, userId, form),
    remoteAddress: createRemoteAddress(settled.trustedProxies),
    offersDomain: setUpDomain !== undefined,
    trustedOrigins: settled.trustedOrigins,
    homePath: settled.homePath,
    postLoginLocation,
    setupToken,
    users,
    pages,
    responses,
    views,
    requireAuth,
  });

  const cleaning = setInterval(() => limiter.cleanUp(), CLEAN_UP_EVERY_MS).unref();

  return Object.freeze({
    routes,
    requireAuth,
    authMiddleware: guard(createRequireUser(currentUser)),
    currentUser: async (request: RequestWithCookies) =>
      currentUser(sessionTokenIn(request.headers.get("cookie") ?? undefined)),
    close() {
      clearInterval(cleaning);
      return events.close();
    },
  });
}
