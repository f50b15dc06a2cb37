import { errorOf, Fault } from "../core/base/fault.ts";
import { andThen, type MaybePromise } from "../core/base/maybe-promise.ts";
import type { KeyAdmission } from "../core/keys/key-guard.ts";
import type { User } from "../core/records.ts";
import type { Admission } from "../core/sessions/require-user.ts";
import { answerRefused, type RefusalOptions } from "./answer-refused.ts";
import type { Answer } from "./answers/responses.ts";
import type { Endpoint } from "./endpoint.ts";
import { answerKeyRefused, type RequestGuard } from "./key-guard.ts";
import type { Paths } from "./paths.ts";
import { noteRefusal, type RefusalPorts } from "./request/warnings.ts";
import type { AdmittedRequest, WebRequest } from "./request/web-request.ts";
import type { Views } from "./views.ts";

/** The outcome of a guard: the signed-in user, or the answer to send instead. */
export type GuardResult =
  | { readonly kind: "admitted"; readonly user: User }
  | { readonly kind: "refused"; readonly answer: Answer };

/**
 * A guard for any framework. It fails closed: it never throws, whatever fails it refuses, and it
 * rejects with an `Error` at most. On the hot path it returns without a promise and without calling
 * `request`, which only refusals need. Without the Authorization header it admits no key.
 */
export type GuardCheck = (
  cookies: string | undefined,
  request: () => WebRequest,
  authorization?: string,
) => MaybePromise<GuardResult>;

interface GuardPorts extends RefusalPorts {
  readonly options: RefusalOptions;
  readonly paths: Paths;
  readonly views: Pick<Views, "fault" | "excluded">;
}

/** Without a session. */
export type NotAdmitted = Exclude<Admission, { readonly kind: "admitted" | "guest" }>;

/** The path to which a refused request is redirected. A forged session token is logged. */
export function signInPath(
  ports: RefusalPorts & Pick<GuardPorts, "paths">,
  admission: NotAdmitted,
  request: WebRequest,
): string {
  noteForged(ports, admission, request);
  return admission.kind === "needs-setup" ? ports.paths.setup : ports.paths.login;
}

/** Logs a session token that no secret has signed. */
export function noteForged(ports: RefusalPorts, { kind }: NotAdmitted, request: WebRequest): void {
  if (kind === "forged-token") noteRefusal(ports, request, "forged session token refused");
}

export function createGuardCheck(guard: RequestGuard, ports: GuardPorts): GuardCheck {
  const refused = (answer: Answer): GuardResult => ({ kind: "refused", answer });
  const excluded = (user: User, request: WebRequest): Promise<GuardResult> =>
    ports.views.excluded(Object.assign(request, { user }), undefined).then(refused);
  const resultOf = (
    admission: Admission | KeyAdmission,
    requestOf: () => WebRequest,
  ): MaybePromise<GuardResult> => {
    switch (admission.kind) {
      case "admitted":
        return admission;
      case "key-admitted":
        return admission.user.guest
          ? excluded(admission.user, requestOf())
          : { kind: "admitted", user: admission.user };
      case "guest":
        return excluded(admission.user, requestOf());
      case "key-refused":
      case "key-limited":
        return refused(answerKeyRefused(ports, requestOf(), admission));
      default: {
        const request = requestOf();
        const path = signInPath(ports, admission, request);
        if (isOwn(ports.paths, request.path)) throw notMounted(request.path);
        return refused(answerRefused(ports.options, path, request));
      }
    }
  };
  const failed = async (thrown: unknown, request: () => WebRequest): Promise<GuardResult> => {
    try {
      return refused(await ports.views.fault(request(), thrown));
    } catch (again) {
      throw errorOf(again);
    }
  };
  const later = (
    admitting: Promise<Admission | KeyAdmission>,
    request: () => WebRequest,
  ): Promise<GuardResult> =>
    admitting
      .then((admission) => resultOf(admission, request))
      .catch((thrown) => failed(thrown, request));
  // Makes no closure, which would cost as much as the rest of the hot path.
  return (cookies, request, authorization) => {
    try {
      const admission = guard(cookies, authorization, request);
      return admission instanceof Promise
        ? later(admission, request)
        : resultOf(admission, request);
    } catch (thrown) {
      return failed(thrown, request);
    }
  };
}

const isOwn = ({ login, setup }: Paths, path: string): boolean => path === login || path === setup;

/** Without it, the browser would follow redirects from the sign-in to the sign-in. */
const notMounted = (path: string): Fault =>
  new Fault(
    "routes_not_mounted",
    `a guard was called for ${path}, which Latchkey's routes answer: mount the routes before the guard`,
  );

/** The endpoint behind a guard. A key does not open it. */
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
