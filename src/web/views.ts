import type { Context } from "hono";
import type { CurrentUser } from "../core/current-user.ts";
import { messageOf, Unavailable } from "../core/fault.ts";
import type { ServerLog } from "../core/server-log.ts";
import type { UserMemory } from "../core/user-memory.ts";
import type { PageData, PageHelpers, PageName, Pages } from "./pages.ts";
import type { Responses } from "./responses.ts";
import { sessionTokenIn } from "./session-cookie.ts";

/** Pages as responses. */
export interface Views {
  page<Name extends PageName>(c: Context, name: Name, data: PageData[Name]): Promise<Response>;
  error(
    c: Context,
    status: number,
    message: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  /** The error page for a failure that no rule foresees. Also writes it to the server log. */
  fault(c: Context, error: unknown): Promise<Response>;
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

  const hasError = (c: Context): boolean => (c.req.query("error") ?? "") !== "";

  async function helpers(c: Context): Promise<PageHelpers> {
    return {
      NeedsSetup: !(await users.anyExists()),
      HasError: hasError(c),
      CurrentUser: await currentUser(sessionTokenIn(c.req.header("cookie"))),
    };
  }

  /** The error page has to come out even where the store, which the helpers ask, is what failed. */
  const helpersWithoutStore = (c: Context): PageHelpers => ({
    NeedsSetup: false,
    HasError: hasError(c),
    CurrentUser: undefined,
  });

  const error: Views["error"] = async (c, status, message, headers) => {
    const known = await helpers(c).catch(() => helpersWithoutStore(c));
    try {
      return responses.page(pages.render("error", known, { status, message }), status, headers);
    } catch (fault) {
      log.error({ reason: messageOf(fault) }, "the error page cannot be rendered");
      return responses.text(message, status);
    }
  };

  return {
    page: async (c, name, data) => responses.page(pages.render(name, await helpers(c), data)),
    error,
    fault(c, fault) {
      log.error({ err: fault, method: c.req.method, path: c.req.path }, "request failed");
      if (!(fault instanceof Unavailable)) return error(c, 500, messageOf(fault));
      return error(c, 503, fault.message, { "Retry-After": String(fault.retryAfterSeconds) });
    },
  };
}
