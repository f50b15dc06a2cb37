import { type AccountApi, createAccountApi } from "./account-api.ts";
import { createOutageLog } from "./db/outage-log.ts";
import type { User } from "./db/records.ts";
import type { OidcPages, Services } from "./features/context.ts";
import { sendLogoutToken, startSignOutQueue } from "./features/oidc/sign-out-queue.ts";
import { deleteUsedToken } from "./features/setup/set-up.ts";
import { handle } from "./handle.ts";
import { createAuthenticateRequest } from "./http/authenticate.ts";
import { fetchRequest } from "./http/fetch-request.ts";
import { createUserGuard, type UserGuard } from "./http/guards.ts";
import { getRequestTarget } from "./http/node-request.ts";
import { pathsUnder, removeQuery } from "./http/paths.ts";
import { ProxyTrust } from "./http/remote-address.ts";
import { createRequestIds } from "./http/request-id.ts";
import type { Answer } from "./http/responses.ts";
import { openSite } from "./http/site.ts";
import { Views } from "./http/views.ts";
import { createProxyWarning } from "./http/warnings.ts";
import type { WebRequest } from "./http/web-request.ts";
import { getAdmittedUser } from "./identity/authenticate-session.ts";
import type { MaybePromise } from "./lib/maybe-promise.ts";
import { type AuthOptions, type GateOptions, NO_GATE, type SettledOptions } from "./options.ts";
import type { PageHelpers } from "./pages/page-data.ts";
import { createRouteTable, listRoutes } from "./routes.ts";
import { createServices, systemClock } from "./services.ts";
import { settleOptions } from "./settle-options.ts";
import { startOutbox } from "./start-outbox.ts";

/** Represents a configured sign-in. An adapter connects its routes and guards to a framework. */
export interface Auth extends AccountApi {
  /** Returns the signed-in user, or `undefined`. Accepts a Fetch request or only its headers. */
  currentUser(
    request: { readonly headers: Pick<Headers, "get"> } | Pick<Headers, "get">,
  ): Promise<User | undefined>;
  /** Returns `NeedsSetup`, `HasError` and `CurrentUser` for an app's own templates. */
  pageHelpers(request: Request): Promise<PageHelpers>;
  /** Contains the functions from which adapters for other frameworks are built. */
  readonly adapter: AdapterParts;
  /**
   * Writes the waiting audit log entries and the summary lines of the server log. The store stays
   * open.
   */
  close(): Promise<void>;
}

/**
 * Contains the functions from which an adapter is built. They do not depend on a framework: they
 * take cookies and requests, and return responses and users.
 */
export interface AdapterParts {
  /** Returns whether Latchkey serves this path or URL. A query does not matter. */
  owns(url: string): boolean;
  /**
   * Lists the paths that Latchkey serves. In the path of one-time links, `:token` stands for any
   * text.
   */
  readonly paths: ReadonlySet<string>;
  /**
   * Answers a request for one of these paths, and other requests with 404. A failure also returns a
   * response.
   */
  answer(request: WebRequest): MaybePromise<Answer>;
  /**
   * Admits signed-in users. Redirects other users to the sign-in page, or to the setup if no
   * account exists.
   */
  readonly requireAuth: UserGuard;
  /**
   * Admits signed-in users. Redirects other users to the sign-in page, even while no account
   * exists.
   */
  readonly authMiddleware: UserGuard;
  /** Returns the signed-in user of a Cookie header, or `undefined`. */
  currentUser(cookies: string | undefined): Promise<User | undefined>;
  /** Returns `NeedsSetup`, `HasError` and `CurrentUser` for an app's own templates. */
  pageHelpers(request: WebRequest): Promise<PageHelpers>;
  /**
   * Runs `work` with the ID of a request. Until its promise settles, Latchkey uses this ID in
   * `X-Request-Id` and in the server log.
   */
  withRequestId<T>(request: WebRequest, work: (id: string) => T): T;
}

/**
 * Creates the sign-in for an app.
 *
 * @param options are read once and copied.
 * @throws {Fault} with the code `invalid_option` for an option that cannot be used,
 *   `guessable_secret` if `NODE_ENV` is `production` and a secret is missing, short or easy to guess,
 *   or `logo_unusable` for a logo that cannot be used.
 *
 * @example
 * ```ts
 * const store = await openSqlite({ file: "accounts.db" });
 * const auth = createAuth({ store, secret: process.env.AUTH_SECRET });
 * const { routes, requireAuth } = honoAuth(auth);
 * app.route("/", routes);
 * app.get("/", requireAuth, (c) => c.text(`Hello ${c.var.user.username}`));
 * ```
 */
export const createAuth = (options: AuthOptions): Auth =>
  createSettledAuth(settleOptions(options, process.env.NODE_ENV));

/**
 * Creates the sign-in from settled options. The gate calls this function, because its messages name
 * its own settings.
 */
export function createSettledAuth(given: SettledOptions, gate: GateOptions = NO_GATE): Auth {
  const settled = { ...given, ...gate };
  const proxies = new ProxyTrust(settled.hosts.trustedProxies);
  const requests = createRequestIds(proxies.trusts, settled.log);
  const paths = pathsUnder(settled.basePath, settled.homePath, settled.standalone);
  // The site is opened first, because an unusable logo throws before anything starts that must be
  // closed.
  const { pages, assets } = openSite(paths, settled);
  const { rules, authenticateKey: keyGuard, close } = createServices(settled, requests.log);
  const stopObserving = settled.store.observe(createOutageLog(systemClock, settled.log));
  const views = new Views({ pages, paths, rules, options: settled, requests });
  const { authenticate, authenticateOnceSetUp } = rules;
  const { oidc } = settled;
  const { publicUrl: issuer } = settled.hosts;
  const signOutQueue =
    oidc && issuer
      ? startSignOutQueue({
          ...rules,
          issuer,
          readKeys: rules.signingKeys.read,
          send: sendLogoutToken,
        })
      : undefined;
  const outboxQueue = startOutbox(settled, rules, paths.base);
  let oidcPages: Promise<OidcPages> | undefined;
  const services: Services = {
    rules,
    options: settled,
    views,
    paths,
    authenticateRequest: createAuthenticateRequest(authenticate, keyGuard, proxies),
    proxies,
    requests,
    oidc:
      oidc &&
      (() => {
        oidcPages ??= oidc.createPages(services).catch((error) => {
          // The next request tries again.
          oidcPages = undefined;
          throw error;
        });
        return oidcPages;
      }),
    warnOfProxy: createProxyWarning(proxies, requests.log),
  };
  const routes = createRouteTable(paths, listRoutes(services, assets));
  const adapter: AdapterParts = Object.freeze({
    owns: (url: string) => routes.find(removeQuery(getRequestTarget(url))) !== undefined,
    paths: routes.paths,
    answer: (request: WebRequest) => handle(services, routes, request),
    requireAuth: createUserGuard(services.authenticateRequest, services),
    authMiddleware: createUserGuard(
      createAuthenticateRequest(authenticateOnceSetUp, keyGuard, proxies),
      services,
    ),
    currentUser: async (cookies: string | undefined) =>
      getAdmittedUser(await authenticateOnceSetUp(cookies)),
    pageHelpers: (request: WebRequest) => views.helpers({ request }),
    withRequestId: requests.run,
  });
  const setupToken = { delete: () => deleteUsedToken(rules) };
  const { cookieDomain } = settled.hosts;
  return Object.freeze<Auth>({
    ...createAccountApi({ ...rules, setupToken, proxies, cookieDomain }),
    adapter,
    currentUser: (request) => {
      // The headers of Next.js have a private property `headers`, so this code looks for `get`.
      const headers = "get" in request ? request : request.headers;
      return adapter.currentUser(headers.get("cookie") ?? undefined);
    },
    pageHelpers: (request) => adapter.pageHelpers(fetchRequest(request)),
    async close() {
      try {
        await Promise.all([signOutQueue?.stop(), outboxQueue?.stop()]);
        await close();
      } finally {
        stopObserving();
      }
    },
  });
}
