import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type Auth,
  Fault,
  type GuardCheck,
  type GuardResult,
  type MaybePromise,
  type PageHelpers,
  type User,
} from "../index.ts";
import { nodeParts, runGuard, sendResponse, visitIn } from "./node-parts.ts";

/** The little of Express's request and response that is needed. */
export interface ExpressRequest extends IncomingMessage {
  readonly originalUrl: string;
}

export interface ExpressResponse extends ServerResponse {
  readonly locals: Record<string, unknown>;
}

export type ExpressMiddleware = (
  request: ExpressRequest,
  response: ExpressResponse,
  next: (error?: unknown) => void,
) => void;

export interface ExpressAuth {
  /** Mount it with `app.use`, before any body parser. */
  readonly routes: ExpressMiddleware;
  readonly requireAuth: ExpressMiddleware;
  readonly authMiddleware: ExpressMiddleware;
  /** The signed-in user, behind a guard. Elsewhere it throws a `not_guarded`. */
  user(response: { readonly locals: Record<string, unknown> }): User;
  currentUser(request: IncomingMessage): Promise<User | undefined>;
  pageHelpers(request: IncomingMessage): Promise<PageHelpers>;
}

/** Latchkey for Express 4 and 5. */
export function expressAuth(auth: Auth): ExpressAuth {
  const { answer, owns } = nodeParts(auth);

  const guard =
    (check: GuardCheck): ExpressMiddleware =>
    (request, response, next) => {
      const act = (result: GuardResult): MaybePromise<void> => {
        if (result.kind === "refused") return sendResponse(result.response, response);
        response.locals.latchkeyUser = result.user;
        next();
      };
      runGuard(check, request, act, next, request.originalUrl);
    };

  return {
    routes(request, response, next) {
      if (!owns(request.originalUrl)) {
        next();
        return;
      }
      // Express takes the path that a router is mounted at off the URL, and the base path has it.
      request.url = request.originalUrl;
      answer(request, response).catch(next);
    },
    requireAuth: guard(auth.door.requireAuth),
    authMiddleware: guard(auth.door.authMiddleware),
    user({ locals }) {
      const user = locals.latchkeyUser;
      if (user === undefined) throw new Fault("not_guarded", "this route is not behind a guard");
      return user as User;
    },
    currentUser: (request) => auth.door.currentUser(request.headers.cookie),
    pageHelpers: (request) => auth.door.pageHelpers(visitIn(request)),
  };
}
