import type { IncomingMessage, ServerResponse } from "node:http";
import { type Auth, type GuardCheck, nodeRequest, sendAnswer, type User } from "../index.ts";
import { type AdapterAuth, answerNode, NextGuards } from "./parts.ts";

/** The part of Express's `Request` that the adapter uses. */
export interface ExpressRequest extends IncomingMessage {
  readonly originalUrl: string;
}

/** Express middleware, as `app.use` and routes accept it. */
export type ExpressMiddleware = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** Latchkey as Express middleware. */
export interface ExpressAuth extends AdapterAuth<ExpressMiddleware, IncomingMessage> {
  /** Mount it with `app.use`, before any body parser. */
  readonly routes: ExpressMiddleware;
  /**
   * Returns the signed-in user behind a guard.
   *
   * @throws {Fault} `not_guarded` on a route without a guard.
   */
  user(response: ServerResponse): User;
}

/**
 * Creates the adapter for Express 4 and 5.
 *
 * @example
 * ```ts
 * const { routes, requireAuth, user } = expressAuth(auth);
 * app.use(routes);
 * app.get("/", requireAuth, (_request, response) => response.send(user(response).username));
 * ```
 */
export function expressAuth(auth: Auth): ExpressAuth {
  const { adapter } = auth;
  const guards = new NextGuards(sendAnswer);
  const guard =
    (check: GuardCheck): ExpressMiddleware =>
    (request, response, next) =>
      guards.run(check, request, response, next);

  return {
    routes(request, response, next) {
      if (!adapter.owns(request.originalUrl)) {
        next();
        return;
      }
      answerNode(auth, request, response).catch(next);
    },
    requireAuth: guard(adapter.requireAuth),
    authMiddleware: guard(adapter.authMiddleware),
    user: ({ req }) => guards.userOf(req),
    currentUser: (request) => adapter.currentUser(request.headers.cookie),
    pageHelpers: (request) => adapter.pageHelpers(nodeRequest(request)),
  };
}
