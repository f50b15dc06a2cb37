import { andThen, type MaybePromise } from "../../core/base/maybe-promise.ts";
import type { Admission } from "../../core/sessions/require-user.ts";
import type { User } from "../../core/store.ts";
import { type Answer, type Headers, redirect, respond, respondText } from "../answers/responses.ts";
import { acceptedTarget, askedOf, withReturnTo } from "../answers/return-to.ts";
import type { WebPorts } from "../ports.ts";
import type { ProxyTrust } from "../request/remote-address.ts";
import { REQUEST_ID } from "../request/request-id.ts";
import { kindOfRequest } from "../request/request-kind.ts";
import { noteRefusal } from "../request/warnings.ts";
import type { WebRequest } from "../request/web-request.ts";
import { admitsUser, type ForwardAuthQuery, readForwardAuthQuery } from "./forward-auth-query.ts";

/**
 * Answers a reverse proxy that asks before it forwards a request. The user comes from the session
 * alone. The return target is read only from a trusted proxy. The method and the accepted types are
 * read from any client, because they only choose between a redirect and a 401.
 */
export function forwardAuth(ports: WebPorts, request: WebRequest): MaybePromise<Answer> {
  const query = readForwardAuthQuery(request.query);
  if (query.kind === "unknown-parameter") return refuseParameter(ports, request, query.name);
  return andThen(ports.rules.requireAuth(request.header("cookie")), (admission) =>
    answerOf(ports, request, query, admission),
  );
}

function answerOf(
  ports: WebPorts,
  request: WebRequest,
  query: ForwardAuthQuery,
  admission: Admission,
): MaybePromise<Answer> {
  switch (admission.kind) {
    case "needs-setup":
      return refuse(ports, request, query, ports.paths.setup);
    case "needs-sign-in":
      return refuse(ports, request, query, ports.paths.login);
    case "forged-token":
      return ports.requests.run(request, () => {
        noteRefusal(ports, request, "forged session token refused");
        return refuse(ports, request, query, ports.paths.login);
      });
    case "admitted":
      return admitsUser(query.lists, admission.user.username)
        ? admissionOf(admission.user)
        : exclude(ports, request, admission.user);
  }
}

/** Tells the operator, whose proxy returns the line to the browser. */
function refuseParameter({ paths, requests }: WebPorts, request: WebRequest, name: string): Answer {
  return respondText(
    `unknown query parameter ${JSON.stringify(name)}: ${paths.forwardAuth} accepts users and deny`,
    400,
    { [REQUEST_ID]: requests.of(request) },
  );
}

function refuse(
  ports: WebPorts,
  request: WebRequest,
  { deny }: ForwardAuthQuery,
  path: string,
): Answer {
  const headers: Headers = { [REQUEST_ID]: ports.requests.of(request) };
  if (!asksForPage(request)) return respond(null, 401, headers);
  const target = acceptedTarget(
    ports.options,
    askedOf(request),
    readTarget(ports.proxies, request),
  );
  const location = withReturnTo(`${ports.options.publicUrl ?? ""}${path}`, target);
  switch (deny) {
    case "redirect":
      return redirect(location, [], headers);
    case "401":
      // nginx turns a redirect into a 500; its configuration makes a redirect from this answer.
      return respond(null, 401, { ...headers, Location: location });
  }
}

function asksForPage(request: WebRequest): boolean {
  return kindOfRequest(request.header("x-forwarded-method") ?? "GET", request) === "page";
}

/** For a signed-in user whom the app does not admit. */
function exclude(
  { views, requests }: WebPorts,
  request: WebRequest,
  user: User,
): MaybePromise<Answer> {
  if (asksForPage(request)) return views.excluded(Object.assign(request, { user }));
  return respond(null, 403, { [REQUEST_ID]: requests.of(request) });
}

/** By the objects of the user memory: a user that was read again gets a new answer. */
const admissions = new WeakMap<User, Answer>();

function admissionOf(user: User): Answer {
  const known = admissions.get(user);
  if (known !== undefined) return known;
  const made = admit(user);
  admissions.set(user, made);
  return made;
}

/**
 * One of these is sent with every request to an app, so it has no header that no proxy uses. A
 * proxy that caches everything would share an answer between users.
 */
const admit = ({ id, username }: User): Answer => ({
  status: 200,
  headers: {
    "Remote-User": inHeader(username),
    // An imported account keeps the ID of its old system, which can be any text.
    "Remote-User-Id": inHeader(id),
    "Cache-Control": "no-store",
    "Content-Length": "0",
  },
  cookies: [],
  body: null,
});

/** Header values are bytes: text with other characters than plain ASCII, or with `%`, is percent-encoded. */
function inHeader(text: string): string {
  const plain = /^[\x21-\x24\x26-\x7e]+( +[\x21-\x24\x26-\x7e]+)*$/.test(text);
  return plain ? text : encodeURIComponent(text);
}

/** The URL that the browser requested, according to a trusted proxy. */
function readTarget(proxies: ProxyTrust, request: WebRequest): string | undefined {
  const forwarded = (name: string): string | undefined =>
    proxies.header(request, `x-forwarded-${name}`);
  const url = `${forwarded("proto")}://${forwarded("host")}${forwarded("uri")}`;
  return forwarded("uri")?.startsWith("/") && URL.canParse(url) ? new URL(url).href : undefined;
}
