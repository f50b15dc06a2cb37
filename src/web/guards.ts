import { errorOf } from "../core/base/fault.ts";
import { andThen, type MaybePromise } from "../core/base/maybe-promise.ts";
import type { Admission } from "../core/sessions/require-user.ts";
import type { User } from "../core/store.ts";
import type { Answer } from "./answers/responses.ts";
import type { CookieGuard } from "./answers/session-cookie.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Paths } from "./paths.ts";
import { type RefusalOptions, refuse } from "./refuse.ts";
import type { AdmittedRequest, WebRequest } from "./request/web-request.ts";
import type { Views } from "./views.ts";

/** The outcome of a guard: the signed-in user, or the answer to send instead. */
export type GuardResult =
  | { readonly kind: "admitted"; readonly user: User }
  | { readonly kind: "refused"; readonly answer: Answer };

/**
 * A guard for any framework. It fails closed: it never throws, whatever fails it refuses, and it
 * rejects with an `Error` at most. On the hot path it returns without a promise and without calling
 * `request`, which only refusals need.
 */
export type GuardCheck = (
  cookies: string | undefined,
  request: () => WebRequest,
) => MaybePromise<GuardResult>;

export function createGuardCheck(
  guard: CookieGuard,
  options: RefusalOptions,
  { paths, views }: { readonly paths: Paths; readonly views: Views },
  noteForgedToken: (request: WebRequest) => void,
): GuardCheck {
  const refused = (answer: Answer): GuardResult => ({ kind: "refused", answer });
  const resultOf = (admission: Admission, request: () => WebRequest): GuardResult => {
    switch (admission.kind) {
      case "needs-setup":
        return refused(refuse(options, paths.setup, request()));
      case "forged-token":
        noteForgedToken(request());
        return refused(refuse(options, paths.login, request()));
      case "needs-sign-in":
        return refused(refuse(options, paths.login, request()));
      case "admitted":
        return admission;
    }
  };
  const failed = async (thrown: unknown, request: () => WebRequest): Promise<GuardResult> => {
    try {
      return refused(await views.fault(request(), thrown));
    } catch (again) {
      throw errorOf(again);
    }
  };
  const later = (admitting: Promise<Admission>, request: () => WebRequest): Promise<GuardResult> =>
    admitting
      .then((admission) => resultOf(admission, request))
      .catch((thrown) => failed(thrown, request));
  // Makes no closure, which would cost as much as the rest of the hot path.
  return (cookies, request) => {
    try {
      const admission = guard(cookies);
      return admission instanceof Promise
        ? later(admission, request)
        : resultOf(admission, request);
    } catch (thrown) {
      return failed(thrown, request);
    }
  };
}

/** The endpoint behind a guard. */
export const guarded =
  (check: GuardCheck, endpoint: (request: AdmittedRequest) => MaybePromise<Answer>): Endpoint =>
  (request) =>
    andThen(
      check(request.header("cookie"), () => request),
      (result) =>
        result.kind === "refused"
          ? result.answer
          : endpoint(Object.assign(request, { user: result.user })),
    );
