import type { CurrentUser } from "../core/current-user.ts";
import { messageOf, Unavailable } from "../core/fault.ts";
import type { ServerLog } from "../core/server-log.ts";
import type { UserMemory } from "../core/user-memory.ts";
import { preferredLocale } from "./locale.ts";
import type { PageData, PageHelpers, PageName } from "./page-data.ts";
import type { Pages } from "./pages.ts";
import type { Responses } from "./responses.ts";
import { sessionTokenIn } from "./session-cookie.ts";
import type { Visit } from "./visit.ts";
import { type Locale, type Words, wordsIn } from "./words.ts";

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
  /** The error page for a failure that no rule foresees. Also writes it to the server log. */
  fault(visit: Visit, error: unknown): Promise<Response>;
}

export interface ViewPorts {
  readonly pages: Pages;
  readonly responses: Responses;
  readonly users: UserMemory;
  readonly currentUser: CurrentUser;
  /** The one language of all pages; `undefined` leaves it to the reader. */
  readonly locale: Locale | undefined;
  readonly log: ServerLog;
}

export function createViews(ports: ViewPorts): Views {
  const { pages, responses, users, currentUser, log } = ports;

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

  const error: Views["error"] = async (visit, status, message, headers) => {
    const known = await helpers(visit).catch(() => helpersWithoutStore(visit));
    return errorPage(visit, known, status, message, headers);
  };

  function errorPage(
    visit: Visit,
    known: PageHelpers,
    status: number,
    message: string,
    headers?: Readonly<Record<string, string>>,
  ): Response {
    try {
      const html = pages.render("error", locale(visit), known, { status, message });
      return responses.page(html, status, headers);
    } catch (fault) {
      log.error({ reason: messageOf(fault) }, "the error page cannot be rendered");
      return responses.text(message, status);
    }
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
    async fault(visit, fault) {
      log.error({ err: fault, method: visit.method, path: visit.path }, "request failed");
      if (!(fault instanceof Unavailable)) return error(visit, 500, messageOf(fault));
      // A store that did not answer is not asked again: that could take as long once more.
      const headers = { "Retry-After": String(fault.retryAfterSeconds) };
      return errorPage(visit, helpersWithoutStore(visit), 503, fault.message, headers);
    },
  };
}
