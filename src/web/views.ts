import { errorOf, messageOf, Unavailable } from "../core/base/fault.ts";
import { admittedUser } from "../core/sessions/require-user.ts";
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
import { REQUEST_ID, type RequestIds } from "./request/request-id.ts";
import { parameterOf, type WebRequest } from "./request/web-request.ts";

/** Pages as answers. */
export interface Views {
  page<Name extends PageName>(
    request: WebRequest,
    name: Name,
    data: PageData[Name],
    cookies?: readonly string[],
  ): Promise<Answer>;
  /** The form with its problem; the error page if a replaced page leaves the message out. */
  formProblem<Name extends "setup" | "home">(
    request: WebRequest,
    status: number,
    name: Name,
    data: PageData[Name] & { readonly problem: { readonly message: string } },
  ): Promise<Answer>;
  /** The error page with a message in the reader's language. */
  error(
    request: WebRequest,
    status: number,
    message: MessageName,
    headers?: Headers,
  ): Promise<Answer>;
  /** The page for a signed-in user whom an app does not admit, with a sign-out. */
  excluded(request: WebRequest): Promise<Answer>;
  /**
   * Logs an unexpected failure and returns the error page, both with the request's ID. The page does
   * not show what failed, unless `shown` says so.
   */
  fault(request: WebRequest, thrown: unknown, shown?: "what-failed"): Promise<Answer>;
  locale(request: WebRequest): Locale;
  /** The values that every page gets, also for an app's own templates. */
  helpers(request: WebRequest): Promise<PageHelpers>;
}

interface ViewPorts {
  readonly pages: Pages;
  readonly rules: { readonly users: UserMemory; readonly requireUser: CookieGuard };
  /** Without `locale`, the language of a page follows the browser. */
  readonly options: FormTargets & { readonly locale: Locale | undefined };
  readonly requests: RequestIds;
}

export function createViews({ pages, rules, options, requests }: ViewPorts): Views {
  const { log } = requests;
  const ofPages = pageHeaders(options);
  const ofPasskeyPages = pageHeaders(options, "self");

  const locale: Views["locale"] = (request) =>
    options.locale ?? preferredLocale(request.header("accept-language"));

  const respondPage = (
    html: string,
    status: number,
    headers: Headers = {},
    cookies: readonly string[] = [],
  ): Answer => respond(html, status, { ...ofPages, ...headers }, cookies);

  async function helpers(request: WebRequest): Promise<PageHelpers> {
    return {
      ...helpersWithoutStore(request),
      NeedsSetup: !(await rules.users.anyExists()),
      CurrentUser: request.user ?? admittedUser(await rules.requireUser(request.header("cookie"))),
    };
  }

  /** Without `given` helpers, asks the store; the page is rendered even if that fails. */
  const errorPage = (
    request: WebRequest,
    data: PageData["error"],
    headers: Headers = {},
    given?: PageHelpers,
  ): Promise<Answer> =>
    requests.run(request, async (id) => {
      const withId = { ...headers, [REQUEST_ID]: id };
      const known = given ?? (await helpers(request).catch(() => helpersWithoutStore(request)));
      try {
        return respondPage(
          pages.render("error", locale(request), known, data),
          data.status,
          withId,
        );
      } catch (fault) {
        log.error({ reason: messageOf(fault) }, "the error page cannot be rendered");
        return respondText(data.message, data.status, withId);
      }
    });

  const fault: Views["fault"] = (request, thrown, shown) =>
    requests.run(request, (requestId) => {
      const error = errorOf(thrown);
      const calm = error instanceof Unavailable ? "unavailable" : "internalFailure";
      const message = shown ? error.message : wordsIn(locale(request)).messages[calm];
      return faultPage(request, error, { message, requestId });
    });

  function faultPage(
    request: WebRequest,
    fault: Error,
    told: { readonly message: string; readonly requestId: string },
  ): Promise<Answer> {
    const { method, path } = request;
    if (!(fault instanceof Unavailable)) {
      log.error({ err: fault, method, path }, "request failed");
      return errorPage(request, { status: 500, ...told });
    }
    // Without the stack: under load these failures are frequent, and they are not bugs.
    const cause = fault.cause === undefined ? {} : { cause: messageOf(fault.cause) };
    log.warn({ reason: fault.message, ...cause, method, path }, "request put off");
    // Does not query the unresponsive store again, which could take as long as the first time.
    const later = { "Retry-After": String(fault.retryAfterSeconds) };
    return errorPage(request, { status: 503, ...told }, later, helpersWithoutStore(request));
  }

  return {
    async page(request, name, data, cookies) {
      const html = pages.render(name, locale(request), await helpers(request), data);
      return respondPage(html, 200, offersPasskeys(data) ? ofPasskeyPages : {}, cookies);
    },
    async formProblem(request, status, name, data) {
      const html = pages.render(name, locale(request), await helpers(request), data);
      const { message } = data.problem;
      return html.includes(message)
        ? respondPage(html, status, offersPasskeys(data) ? ofPasskeyPages : {})
        : errorPage(request, { status, message });
    },
    error(request, status, name, headers) {
      const message = wordsIn(locale(request)).messages[name];
      return errorPage(request, { status, message }, headers);
    },
    excluded: (request) =>
      requests.run(request, async (id) => {
        const message = wordsIn(locale(request)).messages.userNotListed;
        const data = { status: 403, message, offersSignOut: true };
        // The browser shows it under the host name of the app, where a path would reach the app.
        const html = pages.render(
          "error",
          locale(request),
          await helpers(request),
          data,
          options.publicUrl,
        );
        // With `same-origin`, browsers send `Origin: null` to a gate on another host.
        const headers = { [REQUEST_ID]: id, "Referrer-Policy": "strict-origin" };
        return respondPage(html, data.status, headers);
      }),
    fault,
    locale,
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
