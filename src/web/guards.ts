import type { MiddlewareHandler } from "hono";
import { andThen, type MaybePromise } from "../core/maybe-promise.ts";
import type { Admission, Guard } from "../core/require-user.ts";
import type { User } from "../core/store.ts";
import type { Paths } from "./paths.ts";
import { type RefusalOptions, refuse } from "./refuse.ts";
import { type RequestInfo, requestInfoOf } from "./request/request-info.ts";
import { sessionTokenIn } from "./session-cookie.ts";
import type { Views } from "./views.ts";

/** The outcome of a guard: the signed-in user, or the response to send instead. */
export type GuardResult =
  | { readonly kind: "admitted"; readonly user: User }
  | { readonly kind: "refused"; readonly response: Response };

/**
 * A guard for any framework. It fails closed. On the hot path it returns without a promise
 * and without calling `info`, which only refusals need.
 */
export type GuardCheck = (
  cookies: string | undefined,
  info: () => RequestInfo,
) => MaybePromise<GuardResult>;

export function createGuardCheck(
  guard: Guard,
  options: RefusalOptions,
  paths: Paths,
  views: Views,
  noteForgedToken: (info: RequestInfo) => void,
): GuardCheck {
  const refused = (response: Response): GuardResult => ({ kind: "refused", response });
  const resultOf = (admission: Admission, info: () => RequestInfo): GuardResult => {
    switch (admission.kind) {
      case "needs-setup":
        return refused(refuse(options, paths.setup, info()));
      case "forged-token":
        noteForgedToken(info());
        return refused(refuse(options, paths.login, info()));
      case "needs-sign-in":
        return refused(refuse(options, paths.login, info()));
      case "admitted":
        return admission;
    }
  };
  return (cookies, info) =>
    andThen(
      guard(sessionTokenIn(cookies)),
      (admission) => resultOf(admission, info),
      async (fault) => refused(await views.fault(info(), fault)),
    );
}

/** The context variables behind a guard: `c.var.user` is the signed-in user. */
export type SignedIn = { Variables: { user: User } };

/** A guard as Hono middleware. */
export type GuardMiddleware = MiddlewareHandler<SignedIn>;

export function guardMiddleware(check: GuardCheck): GuardMiddleware {
  return (c, next) =>
    andThen(
      check(c.req.header("cookie"), () => requestInfoOf(c)),
      (result): ReturnType<GuardMiddleware> => {
        if (result.kind === "refused") return Promise.resolve(result.response);
        c.set("user", result.user);
        return next();
      },
    );
}
