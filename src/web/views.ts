import { errorOf, messageOf, Unavailable } from "../core/base/fault.ts";
import { hostNameIn } from "../core/hosts/allowed-hosts.ts";
import { userOfAdmission } from "../core/sessions/require-user.ts";
import type { UserMemory } from "../core/sessions/user-memory.ts";
import {
  type Answer,
  type FormTargets,
  type Headers,
  pageHeaders,
  respond,
  respondText,
} from "./answers/responses.ts";
import type { CookieGuard } from "./answers/session-cookie.ts";
import type { PageData, PageHelpers, PageName } from "./pages/page-data.ts";
import type { Pages } from "./pages/render.ts";
import type { MessageName } from "./pages/words/en.ts";
import { type Locale, preferredLocale, wordsIn } from "./pages/words.ts";
import { type Paths, routeOf } from "./paths.ts";
import { REQUEST_ID, type RequestIds } from "./request/request-id.ts";
import {
  type AdmittedRequest,
  hostOf,
  parameterOf,
  type WebRequest,
} from "./request/web-request.ts";

/** Pages as answers. */
export interface Views {
  /** If a replaced page leaves out the message of `data.problem`, the error page shows it instead. */
  page<Name extends PageName>(
    request: WebRequest,
    name: Name,
    data: PageData[Name],
    sent?: { readonly status?: number; readonly cookies?: readonly string[] },
  ): Promise<Answer>;
  /** The error page with a message in the reader's language. */
  error(
    request: WebRequest,
    status: number,
    message: MessageName,
    headers?: Headers,
  ): Promise<Answer>;
  /**
   * The page for a signed-in user whom the app at `host` does not admit, with a sign-out. A guest has
   * no account page.
   */
  excluded(request: AdmittedRequest, host?: string, signOutUrl?: string): Promise<Answer>;
  /** The page for a host that is not allowed. It does not ask the store. */
  misdirected(request: WebRequest): Promise<Answer>;
  /**
   * Logs an unexpected failure and returns the error page, both with the request's ID. The page does
   * not show what failed, unless `shown` says so.
   */
  fault(request: WebRequest, thrown: unknown, shown?: "what-failed"): Promise<Answer>;
  locale(request: WebRequest): Locale;
  /** A message in the reader's language. */
  message(request: WebRequest, name: MessageName): string;
  /** The values that every page gets, also for an app's own templates. */
  helpers(request: WebRequest): Promise<PageHelpers>;
}

interface ViewPorts {
  readonly pages: Pages;
  readonly paths: Paths;
  readonly rules: { readonly users: UserMemory; readonly requireUser: CookieGuard };
  /** Without `locale`, the language of a page follows the browser. */
  readonly options: FormTargets & { readonly pages: { readonly locale: Locale | undefined } };
  readonly requests: RequestIds;
}

/** What differs between error pages. */
interface ErrorPage {
  readonly headers?: Headers;
  /** Without them, the store is asked; the page is rendered even if that fails. */
  readonly helpers?: PageHelpers;
  /** Goes before every path of a page that is shown on another host. */
  readonly origin?: string | undefined;
}

export function createViews({ pages, paths, rules, options, requests }: ViewPorts): Views {
  const { log } = requests;
  const ofPages = pageHeaders(options);
  const ofPasskeyPages = pageHeaders(options, "self");

  const locale: Views["locale"] = (request) =>
    options.pages.locale ?? preferredLocale(request.header("accept-language"));

  const message: Views["message"] = (request, name) => wordsIn(locale(request)).messages[name];

  async function helpers(request: WebRequest): Promise<PageHelpers> {
    return {
      ...helpersWithoutStore(request),
      NeedsSetup: !(await rules.users.anyExists()),
      CurrentUser:
        request.user ?? userOfAdmission(await rules.requireUser(request.header("cookie"))),
    };
  }

  const errorPage = (
    request: WebRequest,
    data: PageData["error"],
    { headers = {}, helpers: given, origin }: ErrorPage = {},
  ): Promise<Answer> =>
    requests.run(request, async (id) => {
      const withId = { ...headers, [REQUEST_ID]: id };
      const known = given ?? (await helpers(request).catch(() => helpersWithoutStore(request)));
      try {
        const html = pages.render(
          "error",
          { locale: locale(request), helpers: known, origin },
          data,
        );
        return respond(html, data.status, { ...ofPages, ...withId });
      } catch (fault) {
        log.error({ reason: messageOf(fault) }, "the error page cannot be rendered");
        return respondText(data.message, data.status, withId);
      }
    });

  const fault: Views["fault"] = (request, thrown, shown) =>
    requests.run(request, (requestId) => {
      const error = errorOf(thrown);
      const isTemporary = error instanceof Unavailable;
      const calm = message(request, isTemporary ? "unavailable" : "internalFailure");
      const data = { message: shown ? error.message : calm, requestId };
      const { method } = request;
      const path = routeOf(paths, request.path);
      if (!isTemporary) {
        log.error({ err: error, method, path }, "request failed");
        return errorPage(request, { status: 500, ...data });
      }
      // Without the stack: under load these failures are frequent, and they are not bugs.
      const cause = error.cause === undefined ? {} : { cause: messageOf(error.cause) };
      log.warn({ reason: error.message, ...cause, method, path }, "request put off");
      return errorPage(
        request,
        { status: 503, ...data },
        {
          headers: { "Retry-After": String(error.retryAfterSeconds) },
          // The store has just failed to answer: asking it again could take as long.
          helpers: helpersWithoutStore(request),
        },
      );
    });

  return {
    async page(request, name, data, { status = 200, cookies = [] } = {}) {
      const reader = { locale: locale(request), helpers: await helpers(request) };
      const html = pages.render(name, reader, data);
      const problem = "problem" in data ? data.problem : undefined;
      if (problem !== undefined && !html.includes(problem.message)) {
        return errorPage(request, { status, message: problem.message });
      }
      return respond(html, status, offersPasskeys(data) ? ofPasskeyPages : ofPages, cookies);
    },
    error(request, status, name, headers = {}) {
      const { titles, messages } = wordsIn(locale(request));
      const title = new Map(Object.entries(titles)).get(name);
      return errorPage(request, { status, title, message: messages[name] }, { headers });
    },
    excluded(request, host, signOutUrl) {
      const { noAccess, mayNotOpen, thisApp } = wordsIn(locale(request));
      const origin = options.hosts.publicUrl;
      const home = request.user.guest === true ? undefined : paths.homes.at(-1);
      const data = {
        status: 403,
        title: noAccess,
        message: mayNotOpen(request.user.username, host ?? thisApp),
        offersSignOut: true,
        signOutUrl,
        accountUrl: home && `${origin ?? ""}${home}`,
        host,
      };
      return errorPage(request, data, {
        // With `same-origin`, browsers send `Origin: null` to a gate on another host.
        headers: { "Referrer-Policy": "strict-origin" },
        // The browser shows it under the host name of the app, where a path would reach the app.
        origin,
      });
    },
    misdirected(request) {
      const { wrongAddress, hostNotAllowed } = wordsIn(locale(request));
      const host = hostNameIn(hostOf(request)) ?? hostOf(request);
      const data = { status: 421, title: wrongAddress, message: hostNotAllowed(host), host };
      return errorPage(request, data, { helpers: helpersWithoutStore(request) });
    },
    fault,
    locale,
    message,
    helpers,
  };
}

/** Whether the script for passkeys is on the page. It asks for challenges. */
const offersPasskeys = (data: PageData[PageName]): boolean =>
  ("offersPasskeys" in data && data.offersPasskeys) ||
  ("passkeys" in data && data.passkeys?.canAdd === true);

const helpersWithoutStore = (request: WebRequest): PageHelpers => ({
  NeedsSetup: false,
  HasError: Boolean(parameterOf(request, "error")),
  CurrentUser: undefined,
});
