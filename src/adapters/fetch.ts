import {
  type Answer,
  type Auth,
  Fault,
  fetchRequest,
  type OnlyGroups,
  toResponse,
  type User,
  type UserGuard,
} from "../index.ts";
import { type AdapterAuth, getAdapter, selectCheck } from "./shared.ts";

export type { AdapterAuth };

/**
 * Wraps a handler, which is only called for signed-in users. Further arguments, such as route
 * parameters, are passed on after the user.
 */
export type FetchGuard = <Rest extends readonly unknown[]>(
  handler: (request: Request, user: User, ...rest: Rest) => Response | Promise<Response>,
  ...only: readonly [] | readonly [groups: OnlyGroups]
) => (request: Request, ...rest: Rest) => Promise<Response>;

/**
 * Describes the connection, as the platform reports it. The rate limit counts by `remoteAddress`.
 */
export interface From {
  readonly remoteAddress: string;
  /** Tells whether the client uses HTTPS. Default: whether `request.url` begins with `https:`. */
  readonly encrypted?: boolean | undefined;
}

/** Contains the options of `fetchAuth`. */
export interface FetchOptions {
  /**
   * `absolute` adds the origin of `request.url` to the `Location` of redirects, for Next.js in
   * `proxy.ts`. Elsewhere use the default, `relative`: behind a reverse proxy, the origin of
   * `request.url` can be an internal one.
   */
  readonly location?: "relative" | "absolute";
}

/** Provides Latchkey for Fetch handlers. */
export interface FetchAuth extends AdapterAuth<FetchGuard, Request> {
  /** Responds to a request for one of Latchkey's paths. Resolves to `undefined` for other paths. */
  routes(request: Request, from: From): Promise<Response | undefined>;
  /** Resolves to the signed-in user or `undefined`. Takes a Fetch request, or only its headers. */
  currentUser(
    request: { readonly headers: Pick<Headers, "get"> } | Pick<Headers, "get">,
  ): Promise<User | undefined>;
}

/**
 * Creates the adapter for Fetch handlers: route handlers, Bun, Deno.
 *
 * @example
 * ```ts
 * const { routes, requireAuth } = fetchAuth(auth);
 * const home = requireAuth((_request, user) => new Response(user.username));
 * const handle = async (request: Request, remoteAddress: string) =>
 *   (await routes(request, { remoteAddress })) ?? home(request);
 * ```
 */
export function fetchAuth(auth: Auth, { location = "relative" }: FetchOptions = {}): FetchAuth {
  const adapter = getAdapter(auth);
  if (location !== "relative" && location !== "absolute") {
    throw new Fault("invalid_option", "location is invalid: expected relative or absolute");
  }
  const completeLocation = (response: Answer, request: Request): Response => {
    const { Location: target } = response.headers;
    if (location === "relative" || target === undefined) return toResponse(response);
    const Location = new URL(target, request.url).href;
    return toResponse({ ...response, headers: { ...response.headers, Location } });
  };

  const createWrapper =
    (guard: UserGuard): FetchGuard =>
    (handler, ...only) => {
      const check = selectCheck(guard, handler, only);
      return async (request, ...rest) => {
        const cookies = request.headers.get("cookie") ?? undefined;
        const authorization = request.headers.get("authorization") ?? undefined;
        const result = await check(cookies, () => fetchRequest(request), authorization);
        return result.kind === "refused"
          ? completeLocation(result.answer, request)
          : handler(request, result.user, ...rest);
      };
    };

  return {
    async routes(request, from) {
      const { pathname, protocol } = new URL(request.url);
      if (!adapter.owns(pathname)) return undefined;
      const connection = { ...from, encrypted: from?.encrypted ?? protocol === "https:" };
      return completeLocation(await adapter.answer(fetchRequest(request, connection)), request);
    },
    requireAuth: createWrapper(adapter.requireAuth),
    authMiddleware: createWrapper(adapter.authMiddleware),
    currentUser: (request) => auth.currentUser(request),
    pageHelpers: (request) => auth.pageHelpers(request),
  };
}
