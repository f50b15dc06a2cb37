import type { CurrentUser } from "../core/current-user.ts";
import { messageOf, Unavailable } from "../core/fault.ts";
import type { UserMemory } from "../core/user-memory.ts";
import { preferredLocale } from "./pages/locale.ts";
import type { PageData, PageHelpers, PageName } from "./pages/page-data.ts";
import type { Pages } from "./pages/render.ts";
import { type Locale, type Words, wordsIn } from "./pages/words.ts";
import type { RequestIds } from "./request/request-id.ts";
import type { Visit } from "./request/visit.ts";
import type { Responses } from "./responses.ts";
import { sessionTokenIn } from "./session-cookie.ts";

/** The pages with a form that comes back when something is wrong with it. */
type FormPage = "setup" | "home";

/** Pages as responses. */
export interface Views {
  page<Name extends PageName>(
    visit: Visit,
    name: Name,
    data: PageData[Name],
    cookies?: readonly string[],
  ): Promise<Response>;
  /** The form's page with what is wrong; the error page where a page of one's own leaves it out. */
  refused<Name extends FormPage>(
    visit: Visit,
    status: number,
    name: Name,
    data: PageData[Name] & { readonly problem: { readonly message: string } },
  ): Promise<Response>;
  error(
    visit: Visit,
    status: number,
    message: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  /** The error page with one of our own texts, in the reader's language. */
  say(
    visit: Visit,
    status: number,
    text: (said: Words["said"]) => string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  locale(visit: Visit): Locale;
  words(visit: Visit): Words;
  /** What every page knows, for templates of an application's own. */
  helpers(visit: Visit): Promise<PageHelpers>;
  /** The error page for a failure that no rule foresees. The server log has it under the same ID. */
  fault(visit: Visit, error: unknown): Promise<Response>;
}

export interface ViewPorts {
  readonly pages: Pages;
  readonly responses: Responses;
  readonly users: UserMemory;
  readonly currentUser: CurrentUser;
  /** The one language of all pages; `undefined` leaves it to the reader. */
  readonly locale: Locale | undefined;
  readonly requests: RequestIds;
}

export function createViews(ports: ViewPorts): Views {
  const { pages, responses, users, currentUser, requests } = ports;
  const { log } = requests;

  const hasError = (visit: Visit): boolean => (visit.error ?? "") !== "";
  const locale: Views["locale"] = (visit) => ports.locale ?? preferredLocale(visit.languages);

  async function helpers(visit: Visit): Promise<PageHelpers> {
    return {
      NeedsSetup: !(await users.anyExists()),
      HasError: hasError(visit),
      CurrentUser: visit.user ?? (await currentUser(sessionTokenIn(visit.cookies))),
    };
  }

  /** The error page has to come out even where the store, which the helpers ask, is what failed. */
  const helpersWithoutStore = (visit: Visit): PageHelpers => ({
    NeedsSetup: false,
    HasError: hasError(visit),
    CurrentUser: undefined,
  });

  const helpersOrNone = (visit: Visit): Promise<PageHelpers> =>
    helpers(visit).catch(() => helpersWithoutStore(visit));

  const error: Views["error"] = async (visit, status, message, headers) =>
    errorPage(visit, await helpersOrNone(visit), { status, message }, headers);

  function errorPage(
    visit: Visit,
    known: PageHelpers,
    data: PageData["error"],
    headers: Readonly<Record<string, string>> = {},
  ): Response {
    try {
      const html = pages.render("error", locale(visit), known, data);
      return responses.page(html, data.status, headers);
    } catch (fault) {
      const { mark } = visit;
      requests.during(mark, () =>
        log.error({ reason: messageOf(fault) }, "the error page cannot be rendered"),
      );
      const named = { ...headers, ...requests.headers(mark) };
      return responses.text(data.message, data.status, named);
    }
  }

  /** With the ID under which the server log has it. */
  async function faultPage(visit: Visit, fault: unknown): Promise<Response> {
    const { method, path, mark } = visit;
    const data = { message: messageOf(fault), requestId: requests.of(mark) };
    const headers = requests.headers(mark);
    if (!(fault instanceof Unavailable)) {
      log.error({ err: fault, method, path }, "request failed");
      return errorPage(visit, await helpersOrNone(visit), { status: 500, ...data }, headers);
    }
    // Without its stack: under load there are many of these, and none is a mistake in the code.
    const { message: reason, cause } = fault;
    log.warn(
      { reason, ...(cause !== undefined && { cause: messageOf(cause) }), method, path },
      "request put off",
    );
    // A store that did not answer is not asked again: that could take as long once more.
    const later = { ...headers, "Retry-After": String(fault.retryAfterSeconds) };
    return errorPage(visit, helpersWithoutStore(visit), { status: 503, ...data }, later);
  }

  return {
    async page(visit, name, data, cookies = []) {
      const html = pages.render(name, locale(visit), await helpers(visit), data);
      return responses.page(html, 200, {}, cookies);
    },
    async refused(visit, status, name, data) {
      const html = pages.render(name, locale(visit), await helpers(visit), data);
      const { message } = data.problem;
      return html.includes(message) ? responses.page(html, status) : error(visit, status, message);
    },
    error,
    say: (visit, status, text, headers) =>
      error(visit, status, text(wordsIn(locale(visit)).said), headers),
    locale,
    words: (visit) => wordsIn(locale(visit)),
    helpers,
    fault(visit, fault) {
      return requests.during(visit.mark, () => faultPage(visit, fault));
    },
  };
}
