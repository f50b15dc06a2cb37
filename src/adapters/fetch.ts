import {
  type Auth,
  type Connection,
  type GuardCheck,
  type PageHelpers,
  requestInfo,
  type User,
} from "../index.ts";

/** A handler that is only called for a signed-in user. */
type GuardedHandler<Rest extends readonly unknown[]> = (
  request: Request,
  user: User,
  ...rest: Rest
) => Response | Promise<Response>;

type Wrapper = <Rest extends readonly unknown[]>(
  handler: GuardedHandler<Rest>,
) => (request: Request, ...rest: Rest) => Promise<Response>;

/** The connection, as the platform reports it. The rate limit counts by `remoteAddress`. */
export type From = Pick<Connection, "remoteAddress"> & Partial<Connection>;

/** Latchkey for Fetch handlers. */
export interface FetchAuth {
  /** Answers a request for one of Latchkey's paths, and returns `undefined` for other paths. */
  routes(request: Request, from: From): Promise<Response | undefined>;
  /** Wraps a handler. Further arguments, such as route parameters, are passed on after the user. */
  readonly requireAuth: Wrapper;
  /** Like `requireAuth`, but redirects to the sign-in even while there is no account. */
  readonly authMiddleware: Wrapper;
  currentUser(request: Request): Promise<User | undefined>;
  pageHelpers(request: Request): Promise<PageHelpers>;
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
export function fetchAuth(auth: Auth): FetchAuth {
  const guardedBy =
    (check: GuardCheck): Wrapper =>
    (handler) =>
    async (request, ...rest) => {
      const cookies = request.headers.get("cookie") ?? undefined;
      const result = await check(cookies, () => requestInfo(request));
      return result.kind === "refused" ? result.response : handler(request, result.user, ...rest);
    };

  return {
    async routes(request, { remoteAddress, encrypted }) {
      const { pathname, protocol } = new URL(request.url);
      if (!auth.adapter.owns(pathname)) return undefined;
      return auth.adapter.fetch(request, {
        remoteAddress,
        encrypted: encrypted ?? protocol === "https:",
      });
    },
    requireAuth: guardedBy(auth.adapter.requireAuth),
    authMiddleware: guardedBy(auth.adapter.authMiddleware),
    currentUser: (request) => auth.currentUser(request),
    pageHelpers: (request) => auth.pageHelpers(request),
  };
}
