import type { IncomingMessage, ServerResponse } from "node:http";
import type { Auth, GuardCheck, PageHelpers, User } from "../index.ts";
import { nodeParts, runGuard, sendResponse, visitIn } from "./node-parts.ts";

type Handler<Request, Response> = (request: Request, response: Response) => unknown;

/** A handler that is only called for somebody who is signed in. */
type GuardedHandler<Request, Response> = (
  request: Request,
  response: Response,
  user: User,
) => unknown;

type Wrapper = <Request extends IncomingMessage, Response extends ServerResponse>(
  handler: GuardedHandler<Request, Response>,
) => Handler<Request, Response>;

export interface NodeAuth {
  /** Answers a request for one of Latchkey's paths; says `false` where it is for another one. */
  routes(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  readonly requireAuth: Wrapper;
  readonly authMiddleware: Wrapper;
  currentUser(request: IncomingMessage): Promise<User | undefined>;
  pageHelpers(request: IncomingMessage): Promise<PageHelpers>;
}

/** Latchkey for plain `node:http`. */
export function nodeAuth(auth: Auth): NodeAuth {
  const { answer, owns } = nodeParts(auth);

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
      if (!owns(request.url)) return false;
      await answer(request, response);
      return true;
    },
    requireAuth: guardedBy(auth.door.requireAuth),
    authMiddleware: guardedBy(auth.door.authMiddleware),
    currentUser: (request) => auth.door.currentUser(request.headers.cookie),
    pageHelpers: (request) => auth.door.pageHelpers(visitIn(request)),
  };
}
