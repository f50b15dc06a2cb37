import type { Hono } from "hono";
import {
  type AttemptLimiter,
  CLEAN_UP_EVERY_MS,
  createAttemptLimiter,
} from "./core/attempt-limiter.ts";
import { changePassword } from "./core/change-password.ts";
import type { Clock } from "./core/clock.ts";
import { createCurrentUser, createSessionMemory } from "./core/current-user.ts";
import { createEventLog } from "./core/event-log.ts";
import { Fault } from "./core/fault.ts";
import { createPasswords } from "./core/passwords.ts";
import { recentLog } from "./core/recent-log.ts";
import { createRequireAuth, createRequireUser, type Guard } from "./core/require-user.ts";
import type { ServerLog } from "./core/server-log.ts";
import { createSessionTokens } from "./core/session-token.ts";
import { setUp } from "./core/set-up.ts";
import { createSharedLimiter, type Limiter } from "./core/shared-limiter.ts";
import { signIn } from "./core/sign-in.ts";
import type { User } from "./core/store.ts";
import { createUserMemory } from "./core/user-memory.ts";
import { type AuthOptions, type SettledOptions, settleOptions } from "./options.ts";
import { createRoutes, methodsOf } from "./web/app.ts";
import type { Connection } from "./web/connection.ts";
import { createEntrance, type Entrance } from "./web/entry.ts";
import { forwardAuth } from "./web/forward-auth.ts";
import { type GuardMiddleware, guardMiddleware } from "./web/guards.ts";
import { loadLook } from "./web/look.ts";
import type { PageHelpers } from "./web/page-data.ts";
import { pathsUnder } from "./web/paths.ts";
import { createNoteRefusal } from "./web/refusals.ts";
import { createProxyTrust } from "./web/remote-address.ts";
import { createRequestIds, type RequestMark } from "./web/request-id.ts";
import { createResponses } from "./web/responses.ts";
import { createReturnTo, noReturnTo } from "./web/return-to.ts";
import { sessionTokenIn } from "./web/session-cookie.ts";
import { warnOfUnheeded } from "./web/unheeded-proxies.ts";
import { createViews } from "./web/views.ts";
import { type Visit, type VisitingRequest, visitFrom } from "./web/visit.ts";

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
  /** `NeedsSetup`, `HasError` and `CurrentUser`, for templates of your own. */
  pageHelpers(request: VisitingRequest): Promise<PageHelpers>;
  /** What the adapters for frameworks other than Hono are made of. */
  readonly door: Door;
  /** Writes the log entries that are still waiting. The store stays open. */
  close(): Promise<void>;
}

/** The same without a framework: cookies and connections in, responses and users out. */
export interface Door {
  /** Whether the path is one of Latchkey's own. */
  owns(path: string): boolean;
  fetch(request: Request, connection: Connection): Promise<Response>;
  readonly requireAuth: Entrance;
  readonly authMiddleware: Entrance;
  currentUser(cookies: string | undefined): Promise<User | undefined>;
  pageHelpers(visit: Visit): Promise<PageHelpers>;
  /** By which the server log and `X-Request-Id` name the request. Made when it is first asked for. */
  requestId(mark: RequestMark): string;
}

/** One that is shared needs a store that counts. */
function limiterFor(
  { limiter, store }: SettledOptions,
  own: AttemptLimiter,
  log: ServerLog,
): Limiter {
  if (limiter === "own") return own;
  const { recordAttempt, forgetAttempts } = store;
  if (recordAttempt === undefined || forgetAttempts === undefined) {
    throw new Fault(
      "invalid_option",
      "limiter takes shared only with a store that counts attempts",
    );
  }
  const counter = {
    recordAttempt: recordAttempt.bind(store),
    forgetAttempts: forgetAttempts.bind(store),
  };
  return createSharedLimiter(counter, own, log);
}

const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** Puts the rules, a store and the web together. */
export function createAuth(options: AuthOptions): Auth {
  const settled = settleOptions(options);
  const { store, meter, postLoginLocation, setupToken, setUpDomain } = settled;
  const proxies = createProxyTrust(settled.trustedProxies);
  const requests = createRequestIds(proxies.trusts, settled.log);
  const { log } = requests;

  // What can fail comes first: nothing may be left behind that watches the store or the clock.
  const ownLimiter = createAttemptLimiter(systemClock);
  const limiter = limiterFor(settled, ownLimiter, log);
  const paths = pathsUnder(settled.basePath, settled.homePath);
  const { pages, assets } = loadLook(paths, settled);
  const tokens = createSessionTokens(settled.secret, systemClock, settled.previousSecrets);
  const passwords = createPasswords(settled.hashing, log, meter.hashes);
  // Entries are written behind the answers' back: what is said of that is about no one request.
  const events = createEventLog(store, systemClock, settled.log, meter.entries);
  const users = createUserMemory(store, systemClock);
  const sessions = createSessionMemory();
  const currentUser = createCurrentUser(tokens, users, systemClock, sessions);
  const core = { users, store, tokens, passwords, events, limiter, log, setupToken, setUpDomain };

  const returnTo = settled.forwardAuth === "on" ? createReturnTo(settled) : noReturnTo;
  const responses = createResponses(postLoginLocation, settled);
  const views = createViews({
    pages,
    responses,
    users,
    currentUser,
    locale: settled.locale,
    requests,
  });
  const guard = createRequireAuth(users, currentUser);
  const entrance = (decides: Guard): Entrance => createEntrance(decides, paths, responses, views);
  const requireAuth = entrance(guard);
  const authMiddleware = entrance(createRequireUser(currentUser));

  const { publicUrl } = settled;
  const asked = { guard, proxies, returnTo, publicUrl, responses, paths };
  const routes = createRoutes({
    async signIn(attempt) {
      const outcome = await signIn(core, attempt);
      meter.signInDecided(outcome.kind);
      return outcome;
    },
    setUp: (form) => setUp(core, form),
    changePassword: (userId, form) => changePassword(core, userId, form),
    forwardAuth: settled.forwardAuth === "on" ? (c) => forwardAuth(asked, c) : undefined,
    cookieDomain: settled.cookieDomain,
    proxies,
    warnOfUnheeded: warnOfUnheeded(proxies, log),
    returnTo,
    offersDomain: setUpDomain !== undefined,
    trustedOrigins: settled.trustedOrigins,
    requireAuth: guardMiddleware(requireAuth),
    postLoginLocation,
    setupToken,
    users,
    recentLog: recentLog(store, events),
    assets,
    siteFiles: settled.siteFiles,
    health: settled.health,
    noteRefusal: createNoteRefusal({ logFailures: settled.logFailures, log, requests, proxies }),
    store,
    paths,
    responses,
    views,
    requests,
    log,
  });

  const ownPaths = methodsOf(routes);
  const door: Door = Object.freeze({
    owns: (path: string) => ownPaths.has(path),
    fetch: async (request: Request, connection: Connection) =>
      routes.fetch(request, { incoming: { socket: connection } }),
    requireAuth,
    authMiddleware,
    currentUser: async (cookies: string | undefined) => currentUser(sessionTokenIn(cookies)),
    pageHelpers: views.helpers,
    requestId: requests.of,
  });

  meter.watch({
    trackedAddresses: () => ownLimiter.tracked,
    waitingEntries: () => events.waiting,
    rememberedSessions: () => sessions.size,
    rememberedUsers: () => users.size,
  });
  const cleaning = setInterval(() => limiter.cleanUp(), CLEAN_UP_EVERY_MS).unref();

  return Object.freeze({
    routes,
    door,
    requireAuth: guardMiddleware(requireAuth),
    authMiddleware: guardMiddleware(authMiddleware),
    currentUser: ({ headers }: RequestWithCookies) =>
      door.currentUser(headers.get("cookie") ?? undefined),
    pageHelpers: (request: VisitingRequest) => views.helpers(visitFrom(request)),
    close() {
      clearInterval(cleaning);
      return Promise.all([events.close(), users.close()]).then(() => {});
    },
  });
}
