import type { CurrentUser } from "../core/current-user.ts";
import { messageOf, Unavailable } from "../core/fault.ts";
import type { UserMemory } from "../core/user-memory.ts";
import { preferredLocale } from "./pages/locale.ts";
import type { PageData, PageHelpers, PageName } from "./pages/page-data.ts";
import type { Pages } from "./pages/render.ts";
import { type Locale, type Words, wordsIn } from "./pages/words.ts";
import { REQUEST_ID, type RequestIds } from "./request/request-id.ts";
import type { RequestInfo } from "./request/request-info.ts";
import type { Headers, Responses } from "./responses.ts";
import { sessionTokenIn } from "./session-cookie.ts";

/** The pages with a form that is shown again with its problem. */
type FormPage = "setup" | "home";

/** Pages as responses. */
export interface Views {
  page<Name extends PageName>(
    info: RequestInfo,
    name: Name,
    data: PageData[Name],
    cookies?: readonly string[],
  ): Promise<Response>;
  /** The form with its problem; the error page if a replaced page leaves the message out. */
  formProblem<Name extends FormPage>(
    info: RequestInfo,
    status: number,
    name: Name,
    data: PageData[Name] & { readonly problem: { readonly message: string } },
  ): Promise<Response>;
  error(info: RequestInfo, status: number, message: string, headers?: Headers): Promise<Response>;
  /** The error page with one of the fixed messages, in the reader's language. */
  problem(
    info: RequestInfo,
    status: number,
    text: (messages: Words["messages"]) => string,
    headers?: Headers,
  ): Promise<Response>;
  locale(info: RequestInfo): Locale;
  words(info: RequestInfo): Words;
  /** The values that every page gets, also for an app's own templates. */
  helpers(info: RequestInfo): Promise<PageHelpers>;
  /** Logs an unexpected failure and returns the error page, both with the request's ID. */
  fault(info: RequestInfo, error: unknown): Promise<Response>;
}

export interface ViewPorts {
  readonly pages: Pages;
  readonly responses: Responses;
  readonly users: UserMemory;
  readonly currentUser: CurrentUser;
  /** The language of all pages; `undefined` follows the browser. */
  readonly locale: Locale | undefined;
  readonly requests: RequestIds;
}

export function createViews(ports: ViewPorts): Views {
  const { pages, responses, users, currentUser, requests } = ports;
  const { log } = requests;

  const hasError = (info: RequestInfo): boolean => (info.error ?? "") !== "";
  const locale: Views["locale"] = (info) => ports.locale ?? preferredLocale(info.languages);

  async function helpers(info: RequestInfo): Promise<PageHelpers> {
    return {
      NeedsSetup: !(await users.anyExists()),
      HasError: hasError(info),
      CurrentUser: info.user ?? (await currentUser(sessionTokenIn(info.cookies))),
    };
  }

  /** The error page must be rendered even if the store, which `helpers` asks, has failed. */
  const helpersWithoutStore = (info: RequestInfo): PageHelpers => ({
    NeedsSetup: false,
    HasError: hasError(info),
    CurrentUser: undefined,
  });

  const helpersOrNone = (info: RequestInfo): Promise<PageHelpers> =>
    helpers(info).catch(() => helpersWithoutStore(info));

  const error: Views["error"] = (info, status, message, headers) =>
    requests.run(info, async (id) =>
      errorPage(info, await helpersOrNone(info), { status, message }, id, headers),
    );

  function errorPage(
    info: RequestInfo,
    known: PageHelpers,
    data: PageData["error"],
    id: string,
    headers: Headers = {},
  ): Response {
    const withId = { ...headers, [REQUEST_ID]: id };
    try {
      const html = pages.render("error", locale(info), known, data);
      return responses.page(html, data.status, withId);
    } catch (fault) {
      log.error({ reason: messageOf(fault) }, "the error page cannot be rendered");
      return responses.text(data.message, data.status, withId);
    }
  }

  async function faultPage(info: RequestInfo, fault: unknown, id: string): Promise<Response> {
    const { method, path } = info;
    const data = { message: messageOf(fault), requestId: id };
    if (!(fault instanceof Unavailable)) {
      log.error({ err: fault, method, path }, "request failed");
      return errorPage(info, await helpersOrNone(info), { status: 500, ...data }, id);
    }
    // Without the stack: under load these failures are frequent, and they are not bugs.
    const { message: reason, cause } = fault;
    log.warn(
      { reason, ...(cause !== undefined && { cause: messageOf(cause) }), method, path },
      "request put off",
    );
    // Does not query the unresponsive store again, which could take as long as the first time.
    const later = { "Retry-After": String(fault.retryAfterSeconds) };
    return errorPage(info, helpersWithoutStore(info), { status: 503, ...data }, id, later);
  }

  return {
    async page(info, name, data, cookies = []) {
      const html = pages.render(name, locale(info), await helpers(info), data);
      return responses.page(html, 200, {}, cookies);
    },
    async formProblem(info, status, name, data) {
      const html = pages.render(name, locale(info), await helpers(info), data);
      const { message } = data.problem;
      return html.includes(message) ? responses.page(html, status) : error(info, status, message);
    },
    error,
    problem: (info, status, text, headers) =>
      error(info, status, text(wordsIn(locale(info)).messages), headers),
    locale,
    words: (info) => wordsIn(locale(info)),
    helpers,
    fault: (info, fault) => requests.run(info, (id) => faultPage(info, fault, id)),
  };
}
