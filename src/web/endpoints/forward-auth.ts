import { andThen, type MaybePromise } from "../../core/base/maybe-promise.ts";
import type { User } from "../../core/records.ts";
import { type Answer, redirect, respond, respondText, withHeader } from "../answers/responses.ts";
import { acceptedTarget, withReturnTo } from "../answers/return-to.ts";
import { withRequestId } from "../endpoint.ts";
import { signInPath } from "../guards.ts";
import { FORWARD_AUTH } from "../paths.ts";
import type { WebPorts } from "../ports.ts";
import type { ProxyTrust } from "../request/remote-address.ts";
import { kindOfRequest } from "../request/request-kind.ts";
import type { AdmittedRequest, WebRequest } from "../request/web-request.ts";
import { admitsUser, type ForwardAuthQuery, readForwardAuthQuery } from "./forward-auth-query.ts";

/**
 * Answers a reverse proxy that asks before it forwards a request. The user comes from the session
 * alone. The return target is read only from a trusted proxy. The method and the accepted types are
 * read from any client, because they only choose between a redirect and a 401.
 */
export function forwardAuth(ports: WebPorts, request: WebRequest): MaybePromise<Answer> {
  const query = readForwardAuthQuery(request.query);
  if (query.kind === "unknown-parameter") {
    return withRequestId(ports, () => unknownParameter(ports, query.name))(request);
  }
  return andThen(ports.rules.requireAuth(request.header("cookie")), (admission) => {
    if (admission.kind !== "admitted") {
      return withRequestId(ports, () =>
        sendToSignIn(ports, request, query, signInPath(ports, admission, request)),
      )(request);
    }
    const { user } = admission;
    return admitsUser(query, user)
      ? passingOn(query, request, admissionOf(user))
      : withRequestId(ports, () => exclude(ports, Object.assign(request, { user })))(request);
  });
}

/** Tells the operator, whose proxy returns the line to the browser. */
const unknownParameter = ({ paths }: WebPorts, name: string): Answer =>
  respondText(
    `unknown query parameter ${JSON.stringify(name)}: ${paths.base}${FORWARD_AUTH} accepts users, groups, deny and authorization; in Caddy, write "uri ${paths.base}${FORWARD_AUTH}?" with the question mark, which keeps the query of the page out`,
    400,
  );

function sendToSignIn(
  { options, proxies }: WebPorts,
  request: WebRequest,
  { deny }: ForwardAuthQuery,
  path: string,
): Answer {
  if (!asksForPage(request)) return respond(null, 401);
  const target = acceptedTarget(options, request, readTarget(proxies, request));
  const location = withReturnTo(`${options.hosts.publicUrl ?? ""}${path}`, target);
  switch (deny) {
    case "redirect":
      return redirect(location);
    case "401":
      // nginx turns a redirect into a 500; its configuration makes a redirect from this answer.
      return respond(null, 401, { Location: location });
  }
}

const asksForPage = (request: WebRequest): boolean =>
  kindOfRequest(request.header("x-forwarded-method") ?? "GET", request) === "page";

/** For a signed-in user whom the app does not admit. */
function exclude({ views, proxies }: WebPorts, request: AdmittedRequest): MaybePromise<Answer> {
  if (!asksForPage(request)) return respond(null, 403);
  const target = readTarget(proxies, request);
  return views.excluded(request, target && new URL(target).host);
}

/** With the client's `Authorization`, for a proxy that replaces it by that of the answer. */
function passingOn(
  { authorization }: ForwardAuthQuery,
  request: WebRequest,
  answer: Answer,
): Answer {
  const given = authorization === "pass" ? request.header("authorization") : undefined;
  return given === undefined ? answer : withHeader(answer, "Authorization", given);
}

/** By the objects of the user memory: a user that was read again gets a new answer. */
const admissions = new WeakMap<User, Answer>();

/**
 * Every request to an app gets this answer, so it has only the headers that proxies use. Without
 * `no-store`, a proxy that caches everything would share the answer of one user with the others.
 */
function admissionOf(user: User): Answer {
  const known = admissions.get(user);
  if (known !== undefined) return known;
  const headers = {
    "Remote-User": inHeader(user.username),
    // An imported account keeps the ID of its old system, which can be any text.
    "Remote-User-Id": inHeader(user.id),
    "Remote-Groups": user.groups?.join(",") ?? "",
    "Cache-Control": "no-store",
    "Content-Length": "0",
  };
  const answer: Answer = { status: 200, headers, cookies: [], body: null };
  admissions.set(user, answer);
  return answer;
}

/** Header values are bytes: text with other characters than plain ASCII, or with `%`, is percent-encoded. */
function inHeader(text: string): string {
  const plain = /^[\x21-\x24\x26-\x7e]+( +[\x21-\x24\x26-\x7e]+)*$/.test(text);
  return plain ? text : encodeURIComponent(text);
}

/** The URL that the browser requested, according to a trusted proxy. */
function readTarget(proxies: ProxyTrust, request: WebRequest): string | undefined {
  const forwarded = (name: string): string | undefined =>
    proxies.header(request, `x-forwarded-${name}`);
  const host = forwarded("host");
  const url = `${forwarded("proto")}://${host}${forwarded("uri")}`;
  return host && forwarded("uri")?.startsWith("/") && URL.canParse(url)
    ? new URL(url).href
    : undefined;
}
