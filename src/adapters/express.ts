import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type Auth,
  Fault,
  type GuardCheck,
  type GuardResult,
  nodeRequest,
  sendAnswer,
  type User,
} from "../index.ts";
import { type AdapterAuth, answerNode, runGuard } from "./parts.ts";

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
  // Not in `response.locals`, whose type an app can declare.
  const admitted = new WeakMap<ServerResponse, User>();

  const guard =
    (check: GuardCheck): ExpressMiddleware =>
    (request, response, next) => {
      const act = (result: GuardResult): void => {
        if (result.kind === "refused") {
          sendAnswer(result.answer, response);
          return;
        }
        admitted.set(response, result.user);
        next();
      };
      runGuard(check, request, act, next);
    };

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
    user(response) {
      const user = admitted.get(response);
      if (user === undefined) throw new Fault("not_guarded", "this route is not behind a guard");
      return user;
    },
    currentUser: (request) => adapter.currentUser(request.headers.cookie),
    pageHelpers: (request) => adapter.pageHelpers(nodeRequest(request)),
  };
}
