import type { User } from "../db/records.ts";
import { getAdmittedUser } from "../identity/authenticate-session.ts";
import type { CredentialCache } from "../identity/credential-cache.ts";
import { getErrorMessage, Unavailable } from "../lib/fault.ts";
import { parseHostName } from "../lib/host-name.ts";
import type { Navigation, PageData, PageHelpers, PageName } from "../pages/page-data.ts";
import type { Pages, Reader } from "../pages/templates.ts";
import { chooseLocale, getWords, type Locale, type MessageName } from "../pages/words.ts";
import { findFormPage } from "./form-page.ts";
import { logFault } from "./log-fault.ts";
import { createNavigation } from "./navigation.ts";
import type { WebOptions } from "./options.ts";
import type { Paths } from "./paths.ts";
import { REQUEST_ID, type RequestIds } from "./request-id.ts";
import { type Answer, createPageHeaders, type Headers, respond, respondText } from "./responses.ts";
import type { AuthenticateCookies } from "./session-cookie.ts";
import { getHost, getParameter, type WebRequest } from "./web-request.ts";

/** Contains the request that a page answers. */
export interface Viewer {
  readonly request: WebRequest;
  /** The page shows this admitted user even if the session ends meanwhile. */
  readonly user?: User | undefined;
  /** True if the user must first turn on a second factor. */
  readonly lacksFactor?: boolean;
}

interface ViewServices {
  readonly pages: Pages;
  readonly paths: Paths;
  readonly rules: {
    readonly credentialCache: Pick<CredentialCache, "anyExists">;
    readonly authenticateOnceSetUp: AuthenticateCookies;
  };
  readonly options: WebOptions;
  readonly requests: RequestIds;
}

interface PageExtras extends Partial<Pick<Answer, "status" | "cookies">> {
  /** Lists the origins or schemes of apps to which a sign-in from this page returns. */
  readonly returning?: readonly string[];
  /** Without helpers, the store is queried. */
  readonly helpers?: PageHelpers;
}

interface ErrorPage {
  readonly headers?: Headers;
  /** Without helpers, the store is queried. The page is rendered even if the query fails. */
  readonly helpers?: PageHelpers;
  /** A page on another host has this origin before every path. */
  readonly origin?: string | undefined;
}

type Exclusion = Pick<PageData["error"], "host" | "signOutUrl" | "signInUrl">;

export class Views {
  readonly #services: ViewServices;
  readonly #headers: Headers;
  readonly #passkeyHeaders: Headers;
  readonly #listPages: (user: User, lacksFactor: boolean) => Navigation;

  constructor(services: ViewServices) {
    this.#services = services;
    this.#listPages = createNavigation(services.options, services.paths);
    this.#headers = createPageHeaders(services.options);
    this.#passkeyHeaders = createPageHeaders(services.options, "self");
  }

  async page<Name extends PageName>(
    viewer: Viewer,
    name: Name,
    data: PageData[Name],
    { status = 200, cookies = [], returning = [], helpers }: PageExtras = {},
  ): Promise<Answer> {
    const reader = this.#reader(viewer, helpers ?? (await this.helpers(viewer)));
    const html = await this.#services.pages.render(name, reader, data);
    const headers = offersPasskeys(data) ? this.#passkeyHeaders : this.#headers;
    if (returning.length === 0) return respond(html, status, headers, cookies);
    const connect = offersPasskeys(data) ? "self" : "none";
    const ofApp = createPageHeaders(this.#services.options, connect, returning);
    return respond(html, status, ofApp, cookies);
  }

  /** Renders the error page for the request of an app, which says what to correct. */
  refusedApp(viewer: Viewer, status: number, message: string): Promise<Answer> {
    const { appRefused } = getWords(this.locale(viewer.request));
    return this.#errorPage(viewer, { status, title: appRefused, message });
  }

  /** Renders the error page with a message in the reader's language. */
  error(viewer: Viewer, status: number, name: MessageName, headers: Headers = {}): Promise<Answer> {
    const { titles, messages } = getWords(this.locale(viewer.request));
    const data = { status, title: titles[name], message: messages[name] };
    return this.#errorPage(viewer, data, { headers });
  }

  /**
   * Renders the page for a signed-in user whom the app at `host` does not admit. It has a sign-out,
   * or a link to the sign-in page at `signInUrl`. A guest has no account pages.
   */
  excluded(
    { request, user }: Viewer & { readonly user: User },
    { host, signOutUrl, signInUrl }: Exclusion = {},
  ): Promise<Answer> {
    const { noAccess, mayNotOpen, thisApp } = getWords(this.locale(request));
    const data = {
      status: 403,
      title: noAccess,
      message: mayNotOpen(user.username, host ?? thisApp),
      offersSignOut: true,
      signOutUrl,
      signInUrl,
      host,
    };
    // With `same-origin`, browsers would send `Origin: null` to a gate on another host.
    const headers = { "Referrer-Policy": "strict-origin" };
    // The browser shows the page under the app's host name, where a path would address the app.
    return this.#errorPage({ request, user }, data, {
      headers,
      origin: this.#services.options.hosts.publicUrl,
    });
  }

  /** Renders the page for a host without an app. The host is absent if it cannot be read. */
  noApp({ request }: Pick<Viewer, "request">, host: string | undefined): Promise<Answer> {
    const { options, paths } = this.#services;
    const { noAccess, noAppAt, thisAddress } = getWords(this.locale(request));
    const message = noAppAt(host ?? thisAddress);
    const { publicUrl: origin } = options.hosts;
    // Whoever opens this page signs in there first.
    const home = origin &&
      paths.launcher && { page: "apps" as const, url: `${origin}${paths.launcher}` };
    const data = {
      ...{ status: 403, title: noAccess, message, host, hasNoApp: true },
      ...(home && { home }),
    };
    return this.#errorPage({ request }, data, { origin });
  }

  /**
   * Renders the page for a host that is not allowed. Only an operator reads which settings would
   * allow it.
   */
  misdirected(viewer: Viewer, reader: "operator" | "visitor"): Promise<Answer> {
    const { request } = viewer;
    const { appName } = this.#services.options.pages;
    const { wrongAddress, hostNotAllowed, notThisAddress } = getWords(this.locale(request));
    const host = reader === "operator" ? getReadableHost(request) : undefined;
    const message = host === undefined ? notThisAddress(appName) : hostNotAllowed(host);
    const { publicUrl } = this.#services.options.hosts;
    return this.#errorPage(viewer, { status: 421, title: wrongAddress, message, host, publicUrl });
  }

  /**
   * Logs an unexpected failure and returns the error page, both with the request's ID. The page
   * shows what failed only with `shown`.
   */
  fault(viewer: Viewer, thrown: unknown, shown?: "what-failed"): Promise<Answer> {
    const { request } = viewer;
    return this.#services.requests.run(request, (requestId) => {
      const error = logFault(this.#services, request, thrown);
      const isTemporary = error instanceof Unavailable;
      const calm = this.message(request, isTemporary ? "unavailable" : "internalFailure");
      // An empty address repeats the request of the browser, also on the host of an app.
      const retryUrl = request.method === "POST" ? findFormPage(this.#services.paths, request) : "";
      const data = { message: shown ? error.message : calm, requestId, retryUrl };
      if (!isTemporary) return this.#errorPage(viewer, { status: 500, ...data });
      const headers = { "Retry-After": String(error.retryAfterSeconds) };
      // The store has just failed, so another query could take as long.
      const helpers = helpersWithoutStore(request);
      return this.#errorPage(viewer, { status: 503, ...data }, { headers, helpers });
    });
  }

  locale(request: WebRequest): Locale {
    return this.#services.options.pages.locale ?? chooseLocale(request.header("accept-language"));
  }

  message(request: WebRequest, name: MessageName): string {
    return getWords(this.locale(request)).messages[name];
  }

  /** Returns the values that every page gets, including an app's own templates. */
  async helpers({ request, user }: Viewer): Promise<PageHelpers> {
    const { credentialCache, authenticateOnceSetUp } = this.#services.rules;
    return {
      ...helpersWithoutStore(request),
      NeedsSetup: !(await credentialCache.anyExists()),
      CurrentUser: user ?? getAdmittedUser(await authenticateOnceSetUp(request.header("cookie"))),
    };
  }

  #reader({ request, lacksFactor = false }: Viewer, helpers: PageHelpers): Reader {
    const { CurrentUser: user } = helpers;
    const navigation = user && this.#listPages(user, lacksFactor);
    return { locale: this.locale(request), helpers, navigation };
  }

  #errorPage(
    viewer: Viewer,
    data: PageData["error"],
    { headers = {}, helpers, origin }: ErrorPage = {},
  ): Promise<Answer> {
    const { request } = viewer;
    const { pages, requests } = this.#services;
    return requests.run(request, async (id) => {
      const withId = { ...headers, [REQUEST_ID]: id };
      try {
        const known =
          helpers ?? (await this.helpers(viewer).catch(() => helpersWithoutStore(request)));
        const reader = { ...this.#reader(viewer, known), origin };
        const home = findHome(reader);
        const html = await pages.render("error", reader, { ...(home && { home }), ...data });
        return respond(html, data.status, { ...this.#headers, ...withId });
      } catch (fault) {
        requests.log.error({ reason: getErrorMessage(fault) }, "the error page cannot be rendered");
        return respondText(data.message, data.status, withId);
      }
    });
  }
}

/** Returns the host that the browser asked for, for a reader who knows the server. */
export const getReadableHost = (request: WebRequest): string =>
  parseHostName(getHost(request)) ?? getHost(request);

/** Returns the first page of the signed-in user, which a guest has only on a gate. */
function findHome({ navigation, origin = "" }: Reader): PageData["error"]["home"] {
  const [first] = navigation?.account ?? [];
  if (navigation?.launcher !== undefined) {
    return { page: "apps", url: `${origin}${navigation.launcher}` };
  }
  return first && { page: "account", url: `${origin}${first.path}` };
}

/** Returns whether the page includes the script for passkeys, which requests challenges. */
const offersPasskeys = (data: PageData[PageName]): boolean =>
  ("offersPasskeys" in data && data.offersPasskeys) ||
  ("passkeys" in data && data.passkeys?.canAdd === true);

const helpersWithoutStore = (request: WebRequest): PageHelpers => ({
  NeedsSetup: false,
  HasError: Boolean(getParameter(request, "error")),
  CurrentUser: undefined,
});
