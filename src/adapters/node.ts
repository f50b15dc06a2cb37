import type { IncomingMessage, ServerResponse } from "node:http";
import { type Auth, type GuardCheck, nodeRequest, sendAnswer, type User } from "../index.ts";
import { type AdapterAuth, answerNode, runGuard } from "./parts.ts";

/** Wraps a handler, which is only called for signed-in users. */
type Wrapper = <Request extends IncomingMessage, Response extends ServerResponse>(
  handler: (request: Request, response: Response, user: User) => unknown,
) => (request: Request, response: Response) => unknown;

/** Latchkey for `node:http` request handlers. */
export interface NodeAuth extends AdapterAuth<Wrapper, IncomingMessage> {
  /** Answers a request for one of Latchkey's paths, and returns `false` for other paths. */
  routes(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
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

  const guardedBy =
    (check: GuardCheck): Wrapper =>
    (handler) =>
    (request, response) =>
      runGuard(check, request, (result) =>
        result.kind === "refused"
          ? sendAnswer(result.answer, response)
          : handler(request, response, result.user),
      );

  return {
    async routes(request, response) {
      if (!adapter.owns(request.url ?? "/")) return false;
      await answerNode(auth, request, response);
      return true;
    },
    requireAuth: guardedBy(adapter.requireAuth),
    authMiddleware: guardedBy(adapter.authMiddleware),
    currentUser: (request) => adapter.currentUser(request.headers.cookie),
    pageHelpers: (request) => adapter.pageHelpers(nodeRequest(request)),
  };
}
