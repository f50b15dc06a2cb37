import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type Auth,
  type GuardCheck,
  nodeRequestInfo,
  type PageHelpers,
  type User,
} from "../index.ts";
import { createAnswer, runGuard, sendResponse } from "./node-parts.ts";

type Handler<Request, Response> = (request: Request, response: Response) => unknown;

/** A handler that is only called for a signed-in user. */
type GuardedHandler<Request, Response> = (
  request: Request,
  response: Response,
  user: User,
) => unknown;

type Wrapper = <Request extends IncomingMessage, Response extends ServerResponse>(
  handler: GuardedHandler<Request, Response>,
) => Handler<Request, Response>;

/** Latchkey for `node:http` request handlers. */
export interface NodeAuth {
  /** Answers a request for one of Latchkey's paths, and returns `false` for other paths. */
  routes(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Wraps a handler for signed-in users; redirects others to the sign-in or the setup. */
  readonly requireAuth: Wrapper;
  /** Like `requireAuth`, but redirects to the sign-in even while there is no account. */
  readonly authMiddleware: Wrapper;
  currentUser(request: IncomingMessage): Promise<User | undefined>;
  pageHelpers(request: IncomingMessage): Promise<PageHelpers>;
}

/**
 * Creates the adapter for plain `node:http`.
 *
 * @example
 * ```ts
 * const { routes, requireAuth } = nodeAuth(auth);
 * const home = requireAuth((_request, response, user) => response.end(user.username));
 * createServer(async (request, response) => {
 *   if (!(await routes(request, response))) await home(request, response);
 * });
 * ```
 */
export function nodeAuth(auth: Auth): NodeAuth {
  const { adapter } = auth;
  const answer = createAnswer(auth);

  const guardedBy =
    (check: GuardCheck): Wrapper =>
    (handler) =>
    (request, response) =>
      runGuard(check, request, (result) =>
        result.kind === "refused"
          ? sendResponse(result.response, response)
          : handler(request, response, result.user),
      );

  return {
    async routes(request, response) {
      if (!adapter.owns(request.url ?? "/")) return false;
      await answer(request, response);
      return true;
    },
    requireAuth: guardedBy(adapter.requireAuth),
    authMiddleware: guardedBy(adapter.authMiddleware),
    currentUser: (request) => adapter.currentUser(request.headers.cookie),
    pageHelpers: (request) => adapter.pageHelpers(nodeRequestInfo(request)),
  };
}
