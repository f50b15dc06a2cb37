import { isClientGone } from "../core/base/fault.ts";
import { andThen, orElse } from "../core/base/maybe-promise.ts";
import { allowsAnyHost, judgeHost } from "../core/hosts/allowed-hosts.ts";
import { isRecentSignIn } from "../core/sessions/session-token.ts";
import { noticeCookie } from "./answers/notice.ts";
import { type Answer, redirect, respondJson, withHeader } from "./answers/responses.ts";
import { acceptedTarget, handoffRoot, withReturnTo } from "./answers/return-to.ts";
import { sessionOf } from "./answers/session-cookie.ts";
import { HANDOFF } from "./paths.ts";
import {
  type Endpoint,
  type FormEndpoint,
  type OwnEndpoint,
  type OwnFormEndpoint,
  type OwnVisit,
  visitOf,
  type WebPorts,
} from "./ports.ts";
import { readForm } from "./request/form.ts";
import { REQUEST_ID } from "./request/request-id.ts";
import { kindOfRequest } from "./request/request-kind.ts";
import { isCrossSite } from "./request/same-origin.ts";
import { noteRefusal } from "./request/warnings.ts";
import { hostOf, parameterOf, type WebRequest } from "./request/web-request.ts";

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

/** Adds the request's ID to the answer and to lines in the server log. */
export const withRequestId =
  ({ requests }: Pick<WebPorts, "requests">, endpoint: Endpoint): Endpoint =>
  (request) =>
    requests.run(request, (id) =>
      andThen(endpoint(request), (answer) => withHeader(answer, REQUEST_ID, id)),
    );

/** Turns a failure into the error page, which shows what failed only for setup and password change. */
export function failingSafely(
  { views }: WebPorts,
  endpoint: Endpoint,
  shown?: "what-failed",
): Endpoint {
  return orElse(endpoint, (thrown, request) =>
    // Not logged: any client could fill the server log by disconnecting.
    isClientGone(thrown)
      ? views.error(request, 400, "formUnreadable")
      : views.fault(request, thrown, shown),
  );
}

/** Answers 421 to a request for a host that is not allowed. */
export function refusingOtherHosts(ports: WebPorts, endpoint: Endpoint): Endpoint {
  const { options, paths, rules, views } = ports;
  const { allowed } = options.hosts;
  if (allowsAnyHost(allowed)) return endpoint;
  return async (request) => {
    if (allowed === "loopback-setup" && request.path !== paths.setup) return endpoint(request);
    if (request.path === HANDOFF && handoffRoot(options, request)) return endpoint(request);
    const verdict = judgeHost(options.hosts, hostOf(request));
    const isAllowed =
      verdict === "allowed" || (verdict === "no-setup" && (await rules.memory.anyExists()));
    return isAllowed ? endpoint(request) : views.misdirected(request);
  };
}

/** Refuses forms of other sites, except those of Latchkey's own public URL and of these origins. */
export function refusingCrossSite(
  ports: WebPorts,
  endpoint: Endpoint,
  origins: readonly string[] = [],
): Endpoint {
  const trusted = origins.concat(ports.options.hosts.publicUrl ?? []);
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
        return views.error(request, 413, "formUnreadable");
      case "not-a-form":
      case "not-utf8": {
        const redirected = await elsewhere();
        if (redirected !== undefined) return redirected;
        noteRefusal(ports, request, "unreadable form refused");
        return form === "not-a-form"
          ? views.error(request, 415, "notAForm")
          : views.error(request, 400, "formUnreadable");
      }
      case "aborted":
        return views.error(request, 400, "formUnreadable");
      default:
        return post(visitOf(ports, request), form);
    }
  };
}

/** The endpoint behind a guard. A key does not open it. */
export const guarded =
  ({ requireAuth }: WebPorts, endpoint: OwnEndpoint): Endpoint =>
  (request) =>
    andThen(
      requireAuth(request.header("cookie"), () => request),
      (result) =>
        result.kind === "refused"
          ? result.answer
          : endpoint(Object.assign(request, { user: result.user })),
    );

/** The endpoint for users who are admitted, or who first have to turn on a second factor here. */
export const enrolling =
  (ports: WebPorts, endpoint: OwnEndpoint): Endpoint =>
  (request) =>
    andThen(ports.rules.requireAuth(request.header("cookie")), (admission) =>
      admission.kind === "factor-missing"
        ? endpoint(Object.assign(request, { user: admission.of, lacksFactor: true as const }))
        : guarded(ports, endpoint)(request),
    );

/**
 * The endpoint of a form behind a guard, which decides again once the form is there: it can arrive
 * long after its headers, when its sender has been signed out or is no administrator any more.
 */
export const guardedForm = (
  ports: WebPorts,
  guard: (endpoint: OwnEndpoint) => Endpoint,
  post: OwnFormEndpoint,
): Endpoint =>
  guard(
    withForm(ports, async ({ request: sent }: OwnVisit, form) =>
      guard((request) => post(visitOf(ports, request), form))(sent),
    ),
  );

/** Says on the sign-in page that the session of a form has ended, to browsers that show that page. */
export const sayingExpired =
  ({ paths }: WebPorts, endpoint: Endpoint): Endpoint =>
  (request) =>
    andThen(endpoint(request), (answer) => {
      const isForm = kindOfRequest(request.method, request) === "form";
      if (!isForm || answer.headers.Location !== paths.login) return answer;
      return { ...answer, cookies: [...answer.cookies, noticeCookie(request, "sessionExpired")] };
    });

/** The form field and query parameter of a sign-in of a user who is already signed in. */
export const AGAIN = "again";

/**
 * The endpoint for users who have signed in within the last ten minutes. Others are led to the
 * sign-in, and from there to the page of `pageOf`, or else to the page that sent the request.
 */
export const confirmed =
  (
    ports: WebPorts,
    pageOf: (request: WebRequest) => string | undefined,
    endpoint: OwnEndpoint,
  ): OwnEndpoint =>
  (request) => {
    if (hasConfirmed(ports, request)) return endpoint(request);
    const { options, paths } = ports;
    const target = pageOf(request) ?? acceptedTarget(options, request, request.header("referer"));
    const location = withReturnTo(`${paths.login}?${AGAIN}=1`, target);
    return kindOfRequest(request.method, request) === "call"
      ? respondJson({ error: "sign_in_not_recent", location }, 403, { "HX-Redirect": location })
      : redirect(location);
  };

/** Whether the sign-in page asks a signed-in user to sign in again. */
export const asksToConfirm = (ports: WebPorts, request: WebRequest): boolean =>
  parameterOf(request, AGAIN) !== undefined && !hasConfirmed(ports, request);

function hasConfirmed({ rules }: WebPorts, request: WebRequest): boolean {
  const session = sessionOf(rules, request);
  return session !== undefined && isRecentSignIn(session, rules.clock);
}
