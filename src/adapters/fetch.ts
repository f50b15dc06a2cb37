import type { Auth, Connection, GuardCheck, PageHelpers, User } from "../index.ts";
import { visitFrom } from "../web/request/visit.ts";

/** A handler that is only called for somebody who is signed in. */
type GuardedHandler<Rest extends readonly unknown[]> = (
  request: Request,
  user: User,
  ...rest: Rest
) => Response | Promise<Response>;

type Wrapper = <Rest extends readonly unknown[]>(
  handler: GuardedHandler<Rest>,
) => (request: Request, ...rest: Rest) => Promise<Response>;

/** Who is at the other end, as the platform tells: the sign-in limit counts by it. */
export type From = Pick<Connection, "remoteAddress"> & Partial<Connection>;

export interface FetchAuth {
  /** Answers a request for one of Latchkey's paths; `undefined` where it is for another one. */
  routes(request: Request, from: From): Promise<Response | undefined>;
  /** What comes after the request (route parameters, say) is passed on after the user. */
  readonly requireAuth: Wrapper;
  readonly authMiddleware: Wrapper;
  currentUser(request: Request): Promise<User | undefined>;
  pageHelpers(request: Request): Promise<PageHelpers>;
}

/** Latchkey for whatever speaks Fetch: route handlers, Bun, Deno. */
export function fetchAuth(auth: Auth): FetchAuth {
  const guardedBy =
    (check: GuardCheck): Wrapper =>
    (handler) =>
    async (request, ...rest) => {
      const cookies = request.headers.get("cookie") ?? undefined;
      const visit = () => visitFrom(request);
      const result = await check(cookies, visit);
      return result.kind === "refused" ? result.response : handler(request, result.user, ...rest);
    };

  return {
    async routes(request, { remoteAddress, encrypted }) {
      const { pathname, protocol } = new URL(request.url);
      if (!auth.door.owns(pathname)) return undefined;
      return auth.door.fetch(request, {
        remoteAddress,
        encrypted: encrypted ?? protocol === "https:",
      });
    },
    requireAuth: guardedBy(auth.door.requireAuth),
    authMiddleware: guardedBy(auth.door.authMiddleware),
    currentUser: (request) => auth.currentUser(request),
    pageHelpers: (request) => auth.pageHelpers(request),
  };
}
