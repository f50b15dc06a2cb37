import {
  type Auth,
  type Connection,
  type GuardCheck,
  type RequestWithCookies,
  requestInfo,
  type User,
} from "../index.ts";
import type { AdapterAuth } from "./parts.ts";

/**
 * Wraps a handler, which is only called for signed-in users. Further arguments, such as route
 * parameters, are passed on after the user.
 */
type Wrapper = <Rest extends readonly unknown[]>(
  handler: (request: Request, user: User, ...rest: Rest) => Response | Promise<Response>,
) => (request: Request, ...rest: Rest) => Promise<Response>;

/** The connection, as the platform reports it. The rate limit counts by `remoteAddress`. */
export type From = Pick<Connection, "remoteAddress"> & Partial<Connection>;

/** The options of `fetchAuth`. */
export interface FetchOptions {
  /**
   * `absolute` completes the `Location` of redirects with the origin of `request.url`, for Next.js
   * in `proxy.ts`. Elsewhere leave it `relative`, the default: behind a reverse proxy, the origin
   * of `request.url` can be an internal one.
   */
  readonly location?: "relative" | "absolute";
}

/** Latchkey for Fetch handlers. */
export interface FetchAuth extends AdapterAuth<Wrapper, Request> {
  /** Answers a request for one of Latchkey's paths, and returns `undefined` for other paths. */
  routes(request: Request, from: From): Promise<Response | undefined>;
  /** Takes the request, or its headers alone. */
  currentUser(request: RequestWithCookies): Promise<User | undefined>;
}

/**
 * Creates the adapter for Fetch handlers: route handlers, Bun, Deno.
 *
 * @example
 * ```ts
 * const { routes, requireAuth } = fetchAuth(auth);
 * const home = requireAuth((_request, user) => new Response(user.username));
 * Deno.serve(async (request, { remoteAddr }) =>
 *   (await routes(request, { remoteAddress: remoteAddr.hostname })) ?? home(request));
 * ```
 */
export function fetchAuth(auth: Auth, { location = "relative" }: FetchOptions = {}): FetchAuth {
  const located = (response: Response, request: Request): Response => {
    const target = response.headers.get("location");
    if (location === "absolute" && target !== null) {
      response.headers.set("location", new URL(target, request.url).href);
    }
    return response;
  };

  const guardedBy =
    (check: GuardCheck): Wrapper =>
    (handler) =>
    async (request, ...rest) => {
      const cookies = request.headers.get("cookie") ?? undefined;
      const result = await check(cookies, () => requestInfo(request));
      return result.kind === "refused"
        ? located(result.response, request)
        : handler(request, result.user, ...rest);
    };

  return {
    async routes(request, { remoteAddress, encrypted }) {
      const { pathname, protocol } = new URL(request.url);
      if (!auth.adapter.owns(pathname)) return undefined;
      const response = await auth.adapter.fetch(request, {
        remoteAddress,
        encrypted: encrypted ?? protocol === "https:",
      });
      return located(response, request);
    },
    requireAuth: guardedBy(auth.adapter.requireAuth),
    authMiddleware: guardedBy(auth.adapter.authMiddleware),
    currentUser: (request) => auth.currentUser(request),
    pageHelpers: (request) => auth.pageHelpers(request),
  };
}
