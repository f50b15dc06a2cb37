import type { MiddlewareHandler } from "hono";
import { andThen, type MaybePromise } from "../core/maybe-promise.ts";
import type { Admission, Guard } from "../core/require-user.ts";
import type { User } from "../core/store.ts";
import type { Paths } from "./paths.ts";
import { type RequestInfo, requestInfoOf } from "./request/request-info.ts";
import { redirect } from "./responses.ts";
import { sessionTokenIn } from "./session-cookie.ts";
import type { Views } from "./views.ts";

/** The outcome of a guard: the signed-in user, or the response to send instead. */
export type GuardResult =
  | { readonly kind: "admitted"; readonly user: User }
  | { readonly kind: "refused"; readonly response: Response };

/**
 * A guard for any framework. It fails closed. On the hot path it returns without a promise
 * and without calling `info`, which only the error page needs.
 */
export type GuardCheck = (
  cookies: string | undefined,
  info: () => RequestInfo,
) => MaybePromise<GuardResult>;

export function createGuardCheck(
  guard: Guard,
  paths: Paths,
  views: Views,
  noteForgedToken: (info: RequestInfo) => void,
): GuardCheck {
  const resultOf = (admission: Admission): GuardResult => {
    switch (admission.kind) {
      case "needs-setup":
        return { kind: "refused", response: redirect(paths.setup) };
      case "needs-sign-in":
      case "forged-token":
        return { kind: "refused", response: redirect(paths.login) };
      case "admitted":
        return admission;
    }
  };
  async function settle(
    admitting: Promise<Admission>,
    info: () => RequestInfo,
  ): Promise<GuardResult> {
    try {
      const admission = await admitting;
      if (admission.kind === "forged-token") noteForgedToken(info());
      return resultOf(admission);
    } catch (fault) {
      return { kind: "refused", response: await views.fault(info(), fault) };
    }
  }
  return (cookies, info) => {
    const admission = guard(sessionTokenIn(cookies));
    return admission instanceof Promise ? settle(admission, info) : resultOf(admission);
  };
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
