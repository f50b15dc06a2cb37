import { isClientGone } from "../core/base/fault.ts";
import { andThen, orElse } from "../core/base/maybe-promise.ts";
import { noticeCookie } from "./answers/notice.ts";
import type { Answer } from "./answers/responses.ts";
import type { Endpoint } from "./endpoint.ts";
import type { OwnEndpoint } from "./endpoints/confirmed.ts";
import { guarded } from "./guards.ts";
import type { FormEndpoint, WebPorts } from "./ports.ts";
import { readForm } from "./request/form.ts";
import { kindOfRequest } from "./request/request-kind.ts";
import { isCrossSite } from "./request/same-origin.ts";
import { noteRefusal } from "./request/warnings.ts";
import type { WebRequest } from "./request/web-request.ts";

/** The endpoints of a path by method. HEAD is answered as GET, and its body is not sent. */
export interface Methods {
  readonly GET?: Endpoint;
  readonly POST?: Endpoint;
}

/** Answers 405 to other methods, with those that are allowed. */
export function byMethod({ views }: WebPorts, { GET, POST }: Methods): Endpoint {
  const Allow = [...(GET ? ["GET", "HEAD"] : []), ...(POST ? ["POST"] : [])].join(", ");
  const endpoints = new Map(Object.entries({ GET, HEAD: GET, POST }));
  return (request) =>
    endpoints.get(request.method)?.(request) ??
    views.error(request, 405, "methodNotAllowed", { Allow });
}

/** The endpoint for users who are admitted, or who first have to turn on a second factor here. */
export const enrolling =
  ({ rules, requireAuth }: WebPorts, endpoint: OwnEndpoint): Endpoint =>
  (request) =>
    andThen(rules.requireAuth(request.header("cookie")), (admission) =>
      admission.kind === "factor-missing"
        ? endpoint(Object.assign(request, { user: admission.of, lacksFactor: true as const }))
        : guarded(requireAuth, endpoint)(request),
    );

/** Turns a failure into the error page. */
export function failingSafely(
  { views }: WebPorts,
  endpoint: Endpoint,
  shown?: "what-failed",
): Endpoint {
  return orElse(endpoint, (thrown, request) =>
    // Not logged: any client could fill the server log by disconnecting.
    isClientGone(thrown)
      ? views.error(request, 400, "formNotWhole")
      : views.fault(request, thrown, shown),
  );
}

/** The same for setup and password change, whose pages show what failed. */
export const showingFaults = (ports: WebPorts, endpoint: Endpoint): Endpoint =>
  failingSafely(ports, endpoint, "what-failed");

/** Says on the sign-in page that the session of a form has ended, to browsers that show that page. */
export function sayingExpired({ paths }: WebPorts, request: WebRequest, answer: Answer): Answer {
  const isForm = kindOfRequest(request.method, request) === "form";
  if (!isForm || answer.headers.Location !== paths.login) return answer;
  return {
    ...answer,
    cookies: [...answer.cookies, noticeCookie(request, paths.login, "sessionExpired")],
  };
}

/** Refuses forms of other sites, except trusted ones. */
export function refusingCrossSite(ports: WebPorts, endpoint: Endpoint): Endpoint {
  const { trustedOrigins, publicUrl } = ports.options.hosts;
  const trusted = trustedOrigins.concat(publicUrl ?? []);
  return (request) => {
    if (!isCrossSite(request, trusted)) return endpoint(request);
    noteRefusal(ports, request, "form of another site refused");
    return ports.views.error(request, 403, "crossSite");
  };
}

/** The answer to a form that is sent to the wrong path; `undefined` for the right one. */
export type Elsewhere = () => Promise<Answer | undefined>;

/** Calls the endpoint with the form; refuses a body that cannot be read as one. */
export function withForm<Request extends WebRequest>(
  ports: WebPorts,
  post: FormEndpoint<Request>,
  elsewhere: Elsewhere = async () => undefined,
): (request: Request) => Promise<Answer> {
  const { views } = ports;
  return async (request) => {
    const form = await readForm(request);
    switch (form) {
      case "too-large":
        noteRefusal(ports, request, "unreadable form refused");
        return views.error(request, 413, "formTooLarge");
      case "not-utf8": {
        const redirected = await elsewhere();
        if (redirected !== undefined) return redirected;
        noteRefusal(ports, request, "unreadable form refused");
        return views.error(request, 400, "formNotUtf8");
      }
      case "aborted":
        return views.error(request, 400, "formNotWhole");
      default:
        return post(ports, request, form);
    }
  };
}
