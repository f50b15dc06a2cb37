import type { Hono } from "hono";
import type { Guard } from "./core/require-user.ts";
import { environmentOf } from "./core/secrets.ts";
import type { User } from "./core/store.ts";
import type { AuthOptions, SettledOptions } from "./options.ts";
import { createRules, type Rules } from "./rules.ts";
import { settleOptions } from "./settle-options.ts";
import { createRoutes, methodsOf } from "./web/app.ts";
import { forwardAuth } from "./web/forward-auth.ts";
import {
  createGuardCheck,
  type GuardCheck,
  type GuardMiddleware,
  guardMiddleware,
} from "./web/guards.ts";
import { type LoadedLook, loadLook } from "./web/pages/look.ts";
import type { PageHelpers } from "./web/pages/page-data.ts";
import { type Paths, pathsUnder } from "./web/paths.ts";
import type { Connection } from "./web/request/connection.ts";
import { createNoteRefusal } from "./web/request/refusals.ts";
import { createProxyTrust, type ProxyTrust } from "./web/request/remote-address.ts";
import { createRequestIds, type RequestIds, type RequestMark } from "./web/request/request-id.ts";
import { warnOfUnheeded } from "./web/request/unheeded-proxies.ts";
import { type Visit, type VisitingRequest, visitFrom } from "./web/request/visit.ts";
import { createResponses } from "./web/responses.ts";
import { createReturnTo, noReturnTo } from "./web/return-to.ts";
import { sessionTokenIn } from "./web/session-cookie.ts";
import { createViews, type Views } from "./web/views.ts";

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
  readonly requireAuth: GuardCheck;
  readonly authMiddleware: GuardCheck;
  currentUser(cookies: string | undefined): Promise<User | undefined>;
  pageHelpers(visit: Visit): Promise<PageHelpers>;
  /** By which the server log and `X-Request-Id` name the request. Made when it is first asked for. */
  requestId(mark: RequestMark): string;
}

/**
 * Puts the rules, a store and the web together.
 *
 * @throws {Fault} `invalid_option` for an option that cannot be used, and `development_secret` for
 *   a missing secret where `NODE_ENV` is `production`.
 */
export function createAuth(options: AuthOptions): Auth {
  const settled = settleOptions(options, environmentOf(process.env.NODE_ENV));
  const proxies = createProxyTrust(settled.trustedProxies);
  const requests = createRequestIds(proxies.trusts, settled.log);
  const paths = pathsUnder(settled.basePath, settled.homePath);
  // Before the rules, which watch the store from then on: pages that cannot be used stop the start.
  const look = loadLook(paths, settled);
  const rules = createRules(settled, requests.log);
  const { routes, views, entrances } = createWeb(settled, rules, {
    proxies,
    requests,
    paths,
    look,
  });
  const door = doorOf(routes, rules, views, requests, entrances);

  return Object.freeze({
    routes,
    door,
    requireAuth: guardMiddleware(entrances.requireAuth),
    authMiddleware: guardMiddleware(entrances.authMiddleware),
    currentUser: ({ headers }: RequestWithCookies) =>
      door.currentUser(headers.get("cookie") ?? undefined),
    pageHelpers: (request: VisitingRequest) => views.helpers(visitFrom(request)),
    close: () => rules.close(),
  });
}

interface WebParts {
  readonly proxies: ProxyTrust;
  readonly requests: RequestIds;
  readonly paths: Paths;
  readonly look: LoadedLook;
}

type Entrances = Pick<Door, "requireAuth" | "authMiddleware">;

/** The rules behind their routes, pages and guards. */
function createWeb(
  settled: SettledOptions,
  rules: Rules,
  { proxies, requests, paths, look }: WebParts,
): { readonly routes: Hono; readonly views: Views; readonly entrances: Entrances } {
  const { postLoginLocation, publicUrl } = settled;
  const { users, currentUser } = rules;
  const { log } = requests;
  const returnTo = settled.forwardAuth ? createReturnTo(settled) : noReturnTo;
  const responses = createResponses(postLoginLocation, settled);
  const { pages, assets } = look;
  const views = createViews({
    ...{ pages, responses, users, currentUser, requests },
    locale: settled.locale,
  });
  const check = (guard: Guard): GuardCheck => createGuardCheck(guard, paths, responses, views);
  const requireAuth = check(rules.requireAuth);
  const asked = { guard: rules.requireAuth, proxies, returnTo, publicUrl, responses, paths };
  const routes = createRoutes({
    ...{ proxies, returnTo, users, assets, paths, responses, views, requests, log },
    ...{ postLoginLocation, setupToken: settled.setupToken, store: settled.store },
    signIn: rules.signIn,
    setUp: rules.setUp,
    changePassword: rules.changePassword,
    recentLog: rules.recentLog,
    requireAuth: guardMiddleware(requireAuth),
    forwardAuth: settled.forwardAuth ? (c) => forwardAuth(asked, c) : undefined,
    cookieDomain: settled.cookieDomain,
    warnOfUnheeded: warnOfUnheeded(proxies, log),
    offersDomain: settled.setUpDomain !== undefined,
    trustedOrigins: settled.trustedOrigins,
    hosts: settled,
    siteFiles: settled.siteFiles,
    health: settled.health,
    noteRefusal: createNoteRefusal({ logFailures: settled.logFailures, log, requests, proxies }),
  });
  const authMiddleware = check(rules.requireUser);
  return { routes, views, entrances: { requireAuth, authMiddleware } };
}

function doorOf(
  routes: Hono,
  { currentUser }: Rules,
  views: Views,
  requests: RequestIds,
  entrances: Entrances,
): Door {
  const ownPaths = methodsOf(routes);
  return Object.freeze({
    owns: (path: string) => ownPaths.has(path),
    fetch: async (request: Request, connection: Connection) =>
      routes.fetch(request, { incoming: { socket: connection } }),
    ...entrances,
    currentUser: async (cookies: string | undefined) => currentUser(sessionTokenIn(cookies)),
    pageHelpers: views.helpers,
    requestId: requests.of,
  });
}
