import type { CurrentUser } from "../core/current-user.ts";
import { messageOf, Unavailable } from "../core/fault.ts";
import type { ServerLog } from "../core/server-log.ts";
import type { UserMemory } from "../core/user-memory.ts";
import type { PageData, PageHelpers, PageName, Pages } from "./pages.ts";
import type { Responses } from "./responses.ts";
import { sessionTokenIn } from "./session-cookie.ts";
import type { Visit } from "./visit.ts";

/** Pages as responses. */
export interface Views {
  page<Name extends PageName>(visit: Visit, name: Name, data: PageData[Name]): Promise<Response>;
  error(
    visit: Visit,
    status: number,
    message: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
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
  readonly log: ServerLog;
}

export function createViews(ports: ViewPorts): Views {
  const { pages, responses, users, currentUser, log } = ports;

  const hasError = (visit: Visit): boolean => (visit.error ?? "") !== "";

  async function helpers(visit: Visit): Promise<PageHelpers> {
    return {
      NeedsSetup: !(await users.anyExists()),
      HasError: hasError(visit),
      CurrentUser: await currentUser(sessionTokenIn(visit.cookies)),
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
    try {
      return responses.page(pages.render("error", known, { status, message }), status, headers);
    } catch (fault) {
      log.error({ reason: messageOf(fault) }, "the error page cannot be rendered");
      return responses.text(message, status);
    }
  };

  return {
    page: async (visit, name, data) =>
      responses.page(pages.render(name, await helpers(visit), data)),
    error,
    helpers,
    fault(visit, fault) {
      log.error({ err: fault, method: visit.method, path: visit.path }, "request failed");
      if (!(fault instanceof Unavailable)) return error(visit, 500, messageOf(fault));
      return error(visit, 503, fault.message, { "Retry-After": String(fault.retryAfterSeconds) });
    },
  };
}
