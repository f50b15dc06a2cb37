import type { Auth, GuardMiddleware, PageHelpers, User } from "../index.ts";

export type { GuardMiddleware, SignedIn } from "../index.ts";

/** The little of Hono's context that is needed. */
export interface HonoContext {
  readonly req: { readonly raw: Request };
}

export interface HonoAuth {
  readonly routes: Auth["routes"];
  readonly requireAuth: GuardMiddleware;
  readonly authMiddleware: GuardMiddleware;
  currentUser(c: HonoContext): Promise<User | undefined>;
  pageHelpers(c: HonoContext): Promise<PageHelpers>;
}

/** Latchkey for Hono: what `createAuth` has, with contexts instead of requests. */
export function honoAuth(auth: Auth): HonoAuth {
  return {
    routes: auth.routes,
    requireAuth: auth.requireAuth,
    authMiddleware: auth.authMiddleware,
    currentUser: (c) => auth.currentUser(c.req.raw),
    pageHelpers: (c) => auth.pageHelpers(c.req.raw),
  };
}
