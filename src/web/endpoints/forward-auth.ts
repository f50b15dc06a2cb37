import { andThen, type MaybePromise } from "../../core/base/maybe-promise.ts";
import { hostNameIn } from "../../core/hosts/allowed-hosts.ts";
import { findMissingScope } from "../../core/hosts/session-reach.ts";
import { type KeyAdmission, type KeyRefusal, refusalFor } from "../../core/keys/key-guard.ts";
import type { User } from "../../core/records.ts";
import { admitsUser } from "../../core/sessions/admits-user.ts";
import type { Admission } from "../../core/sessions/require-user.ts";
import { type Answer, redirect, respond, respondText, withHeader } from "../answers/responses.ts";
import { acceptedTarget, handoffTarget, withReturnTo } from "../answers/return-to.ts";
import { ASKING_FACTOR, type NotAdmitted, signInPath } from "../guards.ts";
import { answerKeyRefused, askedHost, asksForKey } from "../key-guard.ts";
import { FORWARD_AUTH, HANDOFF } from "../paths.ts";
import type { WebPorts } from "../ports.ts";
import type { ProxyTrust } from "../request/remote-address.ts";
import { kindOfRequest } from "../request/request-kind.ts";
import type { AdmittedRequest, WebRequest } from "../request/web-request.ts";
import { withRequestId } from "../wrapped.ts";
import { type ForwardAuthQuery, parseForwardAuthQuery } from "./forward-auth-query.ts";

/**
 * Answers a reverse proxy that asks before it forwards a request. The user comes from the session or
 * a key. The return target is read only from a trusted proxy. The method and the accepted types are
 * read from any client, because they only choose between a redirect and a 401.
 */
export function forwardAuth(ports: WebPorts, request: WebRequest): MaybePromise<Answer> {
  const query = parseForwardAuthQuery(request.query);
  if (query.kind === "unknown-parameter") {
    return withRequestId(ports, () => unknownParameter(ports, query.name))(request);
  }
  const authorization = request.header("authorization");
  const admitting = ports.admit(request.header("cookie"), authorization, () => request);
  return andThen(admitting, (given) => {
    const admission = given.kind === "bound" ? atItsHost(ports, request, given) : given;
    if (!("user" in admission)) {
      return withRequestId(ports, () => refuse(ports, request, query, admission))(request);
    }
    const { user } = admission;
    if (!admitsUser(query, user)) {
      const asking = Object.assign(request, { user });
      // A session of the app's own host ends there.
      const signOutUrl = given.kind === "bound" ? HANDOFF : undefined;
      return withRequestId(ports, () => exclude(ports, asking, signOutUrl))(request);
    }
    // A guest has no second factor.
    if (admission.factors < query.factors) {
      const isKey = admission.kind === "key-admitted";
      const lacking = isKey ? refusalFor(FACTOR_UNPROVEN) : ({ kind: FACTOR_UNPROVEN } as const);
      return withRequestId(ports, () => refuse(ports, request, query, lacking))(request);
    }
    return admit(ports, request, query, admission);
  });
}

const FACTOR_UNPROVEN = "factor-unproven";

/** A session that only one host accepts is none at another. */
const atItsHost = (
  { proxies }: WebPorts,
  request: WebRequest,
  { host, there }: Extract<Admission, { readonly kind: "bound" }>,
): Exclude<Admission, { readonly kind: "bound" }> =>
  host === hostNameIn(askedHost(proxies, request)) ? there : { kind: "needs-sign-in" };

function refuse(
  ports: WebPorts,
  request: WebRequest,
  query: ForwardAuthQuery,
  admission: NotAdmitted | KeyRefusal,
): Answer {
  if (admission.kind !== "key-refused") return sendToSignIn(ports, request, query, admission);
  // nginx knows no other status; its configuration makes a 429 from the 401.
  return answerKeyRefused(ports, request, admission, query.deny === "401" ? 401 : 429);
}

/** Tells the operator, whose proxy returns the line to the browser. */
const unknownParameter = ({ paths }: WebPorts, name: string): Answer =>
  respondText(
    `unknown query parameter ${JSON.stringify(name)}: ${paths.base}${FORWARD_AUTH} accepts users, groups, factor=2, deny and authorization; in Caddy, write "uri ${paths.base}${FORWARD_AUTH}?" with the question mark, which keeps the query of the page out`,
    400,
  );

function sendToSignIn(
  ports: WebPorts,
  request: WebRequest,
  { deny }: ForwardAuthQuery,
  admission: NotAdmitted,
): Answer {
  const { options, proxies, parts } = ports;
  const path = signInPath(ports, admission, request);
  if (!asksForPage(request)) return respond(null, 401, parts.keys && asksForKey(request));
  const asked = readTarget(proxies, request);
  const target = acceptedTarget(options, request, asked);
  const isLost = target === undefined && admission.kind !== "needs-setup";
  // A target can be too long, and the root of its host then takes its place.
  const other = isLost
    ? (handoffTarget(options, asked) ?? handoffTarget(options, URL.parse("/", asked)?.href))
    : undefined;
  if (isLost && other === undefined) warnOfLostHost(ports, asked);
  const factor = admission.kind === "factor-unproven" ? ASKING_FACTOR : "";
  const location = other
    ? withReturnTo(`${other.origin}${HANDOFF}${factor}`, other.href)
    : withReturnTo(`${options.hosts.publicUrl ?? ""}${path}`, target);
  // nginx turns a redirect into a 500; its configuration makes a redirect from the 401.
  return deny === "401" ? respond(null, 401, { Location: location }) : redirect(location);
}

/** A visitor of such a host signs in, and is sent there again without a session, for ever. */
function warnOfLostHost({ options, requests }: WebPorts, asked: string | undefined): void {
  const host = URL.parse(asked ?? "")?.hostname;
  const missing = host && findMissingScope(host, { ...options, ...options.hosts });
  if (missing)
    requests.log.warn(
      { host },
      `the session of the sign-in does not reach this host, so nobody can open an app there: set ${missing}`,
    );
}

const asksForPage = (request: WebRequest): boolean =>
  kindOfRequest(request.header("x-forwarded-method") ?? "GET", request) === "page";

/** For a signed-in user whom the app does not admit. */
function exclude(
  ports: WebPorts,
  request: AdmittedRequest,
  signOutUrl: string | undefined,
): MaybePromise<Answer> {
  if (!asksForPage(request)) return respond(null, 403);
  const target = readTarget(ports.proxies, request);
  const host = target && new URL(target).host;
  const signInUrl = signOutUrl === undefined ? signInFor(ports, request, target) : undefined;
  return ports.views.excluded(request, { host, signOutUrl, signInUrl });
}

/** The sign-in page, for an app on another host from which the sign-out is refused. */
function signInFor(
  { options, paths }: WebPorts,
  request: WebRequest,
  target: string | undefined,
): string | undefined {
  const { publicUrl, trustedOrigins } = options.hosts;
  const origin = target && new URL(target).origin;
  if (publicUrl === undefined || publicUrl === origin) return undefined;
  if (trustedOrigins.some((trusted) => trusted === origin)) return undefined;
  return withReturnTo(`${publicUrl}${paths.login}`, acceptedTarget(options, request, target));
}

type Admitted = Extract<Admission | KeyAdmission, { readonly user: User }>;

/** The answer that admits, with what the proxy passes on to the app. */
function admit(
  { rules, proxies }: WebPorts,
  request: WebRequest,
  { authorization }: ForwardAuthQuery,
  { kind, user }: Admitted,
): Answer {
  const isKey = kind === "key-admitted";
  const answer = isKey ? keyAdmissionOf(user) : admissionOf(user);
  const assertion = rules.assertions?.about(user, askedHost(proxies, request));
  const signed = assertion ? withHeader(answer, "Latchkey-Assertion", assertion) : answer;
  // For a proxy that replaces the client's `Authorization` by that of the answer.
  const repeated = authorization === "pass" && !isKey ? request.header("authorization") : undefined;
  return repeated === undefined ? signed : withHeader(signed, "Authorization", repeated);
}

/** Asks the proxy to remove the key from the request. */
export const KEY_ACCEPTED = "Latchkey-Key";

/** Keyed by user object, so a user that the guards read again gets a new answer. */
function onceForEach(make: (user: User) => Answer): (user: User) => Answer {
  const made = new WeakMap<User, Answer>();
  return (user) => {
    const known = made.get(user);
    if (known !== undefined) return known;
    const answer = make(user);
    made.set(user, answer);
    return answer;
  };
}

/**
 * Every request to an app gets this answer, so it has only the headers that proxies use. Without
 * `no-store`, a proxy that caches everything would share the answer of one user with the others.
 */
const admissionOf = onceForEach(({ id, username, groups = [] }) => {
  const headers = {
    "Remote-User": inHeader(username),
    // An imported account keeps the ID of its old system, which can be any text.
    "Remote-User-Id": inHeader(id),
    "Remote-Groups": groups.join(","),
    "Cache-Control": "no-store",
    "Content-Length": "0",
  };
  return { status: 200, headers, cookies: [], body: null };
});

/** The same for a key, which the proxy then removes from the request. */
const keyAdmissionOf = onceForEach((user) =>
  withHeader(admissionOf(user), KEY_ACCEPTED, "accepted"),
);

/**
 * Header values are bytes: text with other characters than plain ASCII, or with `%`, is
 * percent-encoded. So is text with a comma, at which proxies and apps split a header into several.
 */
function inHeader(text: string): string {
  const plain = /^[\x21-\x24\x26-\x2b\x2d-\x7e]+( +[\x21-\x24\x26-\x2b\x2d-\x7e]+)*$/.test(text);
  return plain ? text : encodeURIComponent(text);
}

/** The URL that the browser requested, according to a trusted proxy. */
function readTarget(proxies: ProxyTrust, request: WebRequest): string | undefined {
  const forwarded = (name: string): string | undefined =>
    proxies.header(request, `x-forwarded-${name}`);
  const host = forwarded("host");
  // Otherwise the proxy may have chosen by another name than the one in the URL.
  if (host === undefined || hostNameIn(host) === undefined) return undefined;
  const url = `${forwarded("proto")}://${host}${forwarded("uri")}`;
  return forwarded("uri")?.startsWith("/") ? URL.parse(url)?.href : undefined;
}
