import type { IncomingMessage } from "node:http";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import {
  type Auth,
  andThen,
  fetchRequest,
  type GuardCheck,
  nodeRequest,
  toResponse,
  type User,
  type WebRequest,
} from "../index.ts";
import { type AdapterAuth, createMemberGuard, getAdapter, type MemberGuard } from "./shared.ts";

export type { AdapterAuth, MemberGuard };

/** Defines the context variables behind a guard. `c.var.user` is the signed-in user. */
export type SignedIn = { Variables: { user: User } };

/** Describes a guard as Hono middleware. */
export type HonoGuard = MiddlewareHandler<SignedIn>;

/** Provides Latchkey for Hono. */
export interface HonoAuth extends AdapterAuth<MemberGuard<HonoGuard>, Context> {
  /**
   * Mount the routes with `app.route`. They have no wildcard, so that the app keeps its other
   * paths.
   */
  readonly routes: Hono;
}

/**
 * Creates the adapter for Hono.
 *
 * @example
 * ```ts
 * const { routes, requireAuth } = honoAuth(auth);
 * app.route("/", routes);
 * app.get("/", requireAuth, (c) => c.text(`Hello ${c.var.user.username}`));
 * ```
 */
export function honoAuth(auth: Auth): HonoAuth {
  const adapter = getAdapter(auth);
  const respond = (c: Context): Response | Promise<Response> =>
    andThen(adapter.answer(toWebRequest(c)), toResponse);

  const routes = new Hono();
  for (const path of adapter.paths) routes.all(path, respond);
  // An app that serves only these routes needs this handler for other paths.
  routes.notFound(respond);

  const createMiddleware =
    (check: GuardCheck): HonoGuard =>
    (c, next) => {
      const request = toWebRequest(c);
      return andThen(
        check(request.header("cookie"), () => request, request.header("authorization")),
        (result): ReturnType<HonoGuard> => {
          if (result.kind === "refused") return Promise.resolve(toResponse(result.answer));
          c.set("user", result.user);
          return next();
        },
      );
    };

  return {
    routes,
    requireAuth: createMemberGuard(adapter.requireAuth, createMiddleware),
    authMiddleware: createMemberGuard(adapter.authMiddleware, createMiddleware),
    currentUser: (c) => adapter.currentUser(toWebRequest(c).header("cookie")),
    pageHelpers: (c) => adapter.pageHelpers(toWebRequest(c)),
  };
}

/**
 * Converts a Hono request. Hono's Node server provides Node's request, whose headers need not be
 * copied. Forms are read from Hono's request, because middleware can have replaced its body.
 */
function toWebRequest({ env, req }: Context): WebRequest {
  const incoming: IncomingMessage | undefined = env?.incoming ?? undefined;
  return incoming?.headers === undefined || req.method === "POST"
    ? fetchRequest(req.raw, incoming?.socket)
    : nodeRequest(incoming);
}
