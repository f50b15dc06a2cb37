import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type Auth,
  nodeRequest,
  type OnlyGroups,
  sendAnswer,
  type User,
  type UserGuard,
} from "../index.ts";
import {
  type AdapterAuth,
  getAdapter,
  ownsRequest,
  respondToNode,
  runCheck,
  selectCheck,
} from "./shared.ts";

export type { AdapterAuth };

/** Wraps a handler, which is only called for signed-in users. */
export type NodeGuard = <Request extends IncomingMessage, Response extends ServerResponse>(
  handler: (request: Request, response: Response, user: User) => unknown,
  ...only: readonly [] | readonly [groups: OnlyGroups]
) => (request: Request, response: Response) => unknown;

/** Provides Latchkey for `node:http` request handlers. */
export interface NodeAuth extends AdapterAuth<NodeGuard, IncomingMessage> {
  /** Responds to a request for one of Latchkey's paths. Resolves to `false` for other paths. */
  routes(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}

/**
 * Creates the adapter for plain `node:http`.
 *
 * @example
 * ```ts
 * const { routes, requireAuth } = nodeAuth(auth);
 * const home = requireAuth((_request, response, user) => response.end(user.username));
 * const server = createServer(async (request, response) => {
 *   if (!(await routes(request, response))) await home(request, response);
 * });
 * ```
 */
export function nodeAuth(auth: Auth): NodeAuth {
  const adapter = getAdapter(auth);

  const createWrapper =
    (guard: UserGuard): NodeGuard =>
    (handler, ...only) => {
      const check = selectCheck(guard, handler, only);
      return (request, response) =>
        runCheck(check, request, (result) =>
          result.kind === "refused"
            ? sendAnswer(result.answer, response)
            : handler(request, response, result.user),
        );
    };

  return {
    async routes(request, response) {
      if (!ownsRequest(auth, request)) return false;
      await respondToNode(auth, request, response);
      return true;
    },
    requireAuth: createWrapper(adapter.requireAuth),
    authMiddleware: createWrapper(adapter.authMiddleware),
    currentUser: (request) => adapter.currentUser(request.headers.cookie),
    pageHelpers: (request) => adapter.pageHelpers(nodeRequest(request)),
  };
}
