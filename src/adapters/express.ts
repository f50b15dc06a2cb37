import type { IncomingMessage, ServerResponse } from "node:http";
import { type Auth, sendAnswer } from "../index.ts";
import { type NextAuth, nextAuth, ownsRequest, respondToNode } from "./shared.ts";

export type { AdapterAuth, MemberGuard, NextAuth } from "./shared.ts";

/** Contains the part of Express's `Request` that the adapter uses. */
export interface ExpressRequest extends IncomingMessage {
  readonly originalUrl: string;
}

/** Describes Express middleware, as `app.use` and routes accept it. */
export type ExpressMiddleware = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** Provides Latchkey as Express middleware. */
export interface ExpressAuth extends NextAuth<ExpressMiddleware, IncomingMessage, ServerResponse> {
  /** Mount it with `app.use`, before any body parser. */
  readonly routes: ExpressMiddleware;
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
  const getNodeRequest = (request: IncomingMessage): IncomingMessage => request;
  const { user, ...members } = nextAuth(auth, getNodeRequest, sendAnswer);
  return {
    ...members,
    routes(request, response, next) {
      if (!ownsRequest(auth, request)) return next();
      respondToNode(auth, request, response).catch(next);
    },
    user: ({ req }) => user(req),
  };
}
