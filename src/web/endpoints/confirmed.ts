import type { MaybePromise } from "../../core/base/maybe-promise.ts";
import { type Answer, redirect, respondJson } from "../answers/responses.ts";
import { acceptedTarget, withReturnTo } from "../answers/return-to.ts";
import type { WebPorts } from "../ports.ts";
import { kindOfRequest } from "../request/request-kind.ts";
import { type AdmittedRequest, parameterOf, type WebRequest } from "../request/web-request.ts";
import { tokenOf } from "./sessions.ts";

/** The form field and query parameter of a sign-in of a user who is already signed in. */
export const AGAIN = "again";

/** Answers requests of a signed-in user. */
export type OwnEndpoint = (request: AdmittedRequest) => MaybePromise<Answer>;

/**
 * The endpoint for users who have signed in within the last ten minutes. Others are led to the
 * sign-in, and from there to `place`, or if it is absent, to the page that sent the request.
 */
export const confirmed =
  (ports: WebPorts, place: string | undefined, endpoint: OwnEndpoint): OwnEndpoint =>
  (request) => {
    if (hasConfirmed(ports, request)) return endpoint(request);
    const { options, paths } = ports;
    const target = place ?? acceptedTarget(options, request, request.header("referer"));
    const location = withReturnTo(`${paths.login}?${AGAIN}=1`, target);
    return kindOfRequest(request.method, request) === "call"
      ? respondJson({ error: "sign_in_not_recent", location }, 403, { "HX-Redirect": location })
      : redirect(location);
  };

/** Whether the sign-in page asks a signed-in user to sign in again. */
export const asksToConfirm = (ports: WebPorts, request: WebRequest): boolean =>
  parameterOf(request, AGAIN) !== undefined && !hasConfirmed(ports, request);

const hasConfirmed = (ports: WebPorts, request: WebRequest): boolean =>
  ports.rules.isRecent(tokenOf(ports, request));
