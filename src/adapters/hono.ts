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
import { type AdapterAuth, adapterOf, type MemberGuard, memberGuard } from "./parts.ts";

export type { AdapterAuth, MemberGuard };

/** The context variables behind a guard: `c.var.user` is the signed-in user. */
export type SignedIn = { Variables: { user: User } };

/** A guard as Hono middleware. */
export type HonoGuard = MiddlewareHandler<SignedIn>;

/** Latchkey for Hono. */
export interface HonoAuth extends AdapterAuth<MemberGuard<HonoGuard>, Context> {
  /** Mount them with `app.route`. They have no wildcard, so that the app keeps its other paths. */
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
  const adapter = adapterOf(auth);
  const answer = (c: Context): Response | Promise<Response> =>
    andThen(adapter.answer(requestOf(c)), toResponse);

  const routes = new Hono();
  for (const path of adapter.paths) routes.all(path, answer);
  // For an app that serves the routes alone.
  routes.notFound(answer);

  const guard =
    (check: GuardCheck): HonoGuard =>
    (c, next) => {
      const request = requestOf(c);
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
    requireAuth: memberGuard(adapter.requireAuth, guard),
    authMiddleware: memberGuard(adapter.authMiddleware, guard),
    currentUser: (c) => adapter.currentUser(requestOf(c).header("cookie")),
    pageHelpers: (c) => adapter.pageHelpers(requestOf(c)),
  };
}

/**
 * Hono's Node server provides Node's request, whose headers need not be copied. A form is read from
 * Hono's: middleware can have replaced its body.
 */
function requestOf({ env, req }: Context): WebRequest {
  const incoming: IncomingMessage | undefined = env?.incoming ?? undefined;
  return incoming?.headers === undefined || req.method === "POST"
    ? fetchRequest(req.raw, incoming?.socket)
    : nodeRequest(incoming);
}
