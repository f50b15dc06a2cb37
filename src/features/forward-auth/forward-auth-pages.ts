import type { App, User } from "../../db/records.ts";
import { readRequestedHost } from "../../http/authenticate.ts";
import {
  type ForwardAuthQuery,
  NO_QUERY,
  parseForwardAuthQuery,
  type UnknownParameter,
} from "../../http/forward-auth-query.ts";
import { FORWARD_AUTH, HANDOFF } from "../../http/paths.ts";
import { ASKING_FACTOR, challengeForKey, findSignInPath, refuseKey } from "../../http/refusals.ts";
import type { ProxyTrust } from "../../http/remote-address.ts";
import { answerWithId } from "../../http/request-id.ts";
import { getRequestKind } from "../../http/request-kind.ts";
import { quoteRequestedHost, readRequestedHostName } from "../../http/requested-host.ts";
import { type Answer, redirect, respond, respondText, withHeader } from "../../http/responses.ts";
import { acceptReturnTarget, addReturnTo, parseHandoffTarget } from "../../http/return-to.ts";
import type { WebRequest } from "../../http/web-request.ts";
import {
  createKeyRefusal,
  type KeyAdmission,
  type KeyRefusal,
} from "../../identity/authenticate-key.ts";
import {
  type Admission,
  type Admitted,
  isAdmitted,
  type NotAdmitted,
} from "../../identity/authenticate-session.ts";
import { describeClient } from "../../lib/client.ts";
import { parseHostName } from "../../lib/host-name.ts";
import { andThen, type MaybePromise } from "../../lib/maybe-promise.ts";
import { isUsableName } from "../../lib/names.ts";
import { findMissingScope } from "../../lib/session-reach.ts";
import type { Services } from "../context.ts";
import {
  findRequestedApps,
  judgeRequest,
  NO_APPS,
  type UnknownAppProblem,
} from "./requested-apps.ts";

type KeyAdmitted = Exclude<KeyAdmission, KeyRefusal>;

type Refused =
  | NotAdmitted
  | KeyRefusal
  | UnknownParameter
  | { readonly kind: "unknown-app"; readonly problem: UnknownAppProblem }
  /** The user is signed in and the app does not admit the user. */
  | {
      readonly kind: "excluded";
      readonly user: User;
      readonly app: App | undefined;
      readonly signOutUrl: string | undefined;
    };

/**
 * Answers a reverse proxy, by session or API key. The app and the return target count only from a
 * trusted proxy. Method and accepted types count from any client: they only choose between a redirect and
 * 401. An admitted request gets no ID, because an ID would cost more than the response.
 */
export function answerForwardAuth(services: Services, request: WebRequest): MaybePromise<Answer> {
  const query = parseForwardAuthQuery(request.query);
  if (query.kind === "unknown-parameter") return refuse(services, request, NO_QUERY, query);
  const authorization = request.header("authorization");
  const admission = services.authenticateRequest(
    request.header("cookie"),
    authorization,
    () => request,
  );
  return andThen(admission, (found) =>
    andThen(findApps(services, request, query, found), (apps) =>
      decide(services, request, query, found, apps),
    ),
  );
}

/**
 * Finds the apps at the requested host. Reads no apps for a visitor who must sign in anyway, so the
 * redirect works while the store is away. If the apps cannot be read, nobody is admitted.
 */
function findApps(
  { options, proxies, rules }: Services,
  request: WebRequest,
  query: ForwardAuthQuery,
  { kind }: Admission | KeyAdmission,
): MaybePromise<readonly App[] | UnknownAppProblem> {
  if (kind === "needs-setup" || kind === "key-refused") return NO_APPS;
  const needsApp = options.apps === "only" || query.apps === "only";
  const isSignedOut = kind === "needs-sign-in" || kind === "forged-token";
  if (isSignedOut && !needsApp) return NO_APPS;
  return andThen(rules.appDirectory.read(), (apps) =>
    findRequestedApps(
      apps,
      needsApp,
      () => readRequestedHostName(proxies, request),
      () => proxies.header(request, "x-forwarded-uri"),
    ),
  );
}

/** Decides by the app, and by the lists and the factors of the query, whether the user may open it. */
function decide(
  services: Services,
  request: WebRequest,
  query: ForwardAuthQuery,
  found: Admission | KeyAdmission,
  apps: readonly App[] | UnknownAppProblem,
): MaybePromise<Answer> {
  const admission = found.kind === "bound" ? readBound(services, request, found) : found;
  if (typeof apps === "string") {
    return refuse(services, request, query, { kind: "unknown-app", problem: apps });
  }
  if (admission.kind === "key-refused") return refuse(services, request, query, admission);
  const isKey = admission.kind === "key-admitted";
  if (!isKey && !isAdmitted(admission)) return refuse(services, request, query, admission);
  const { user, factors } = admission;
  switch (judgeRequest(apps, query, user, factors)) {
    case "admitted":
      noteVisit(services, request, user, isKey ? NO_APPS : apps);
      return admit(services, request, query, admission);
    case "excluded": {
      // A session that only the app's host accepts is ended on that host.
      const signOutUrl = found.kind === "bound" ? HANDOFF : undefined;
      return refuse(services, request, query, { kind: "excluded", user, app: apps[0], signOutUrl });
    }
    case "factor-unproven":
      return refuse(
        services,
        request,
        query,
        isKey ? createKeyRefusal("factor-unproven") : { kind: "factor-unproven" },
      );
  }
}

/** Notes who has opened an app. If several apps are at one host, it is unknown which was opened. */
function noteVisit(
  { rules, proxies }: Services,
  request: WebRequest,
  user: User,
  apps: readonly App[],
): void {
  const [app] = apps;
  if (app === undefined || apps.length > 1) return;
  const readDevice = () => describeClient(proxies.getClient(request)).device;
  rules.appUses.noteVisit(app.id, user.id, readDevice);
}

/** Returns the admission at the bound host. At any other host, the session does not count. */
const readBound = (
  { proxies }: Services,
  request: WebRequest,
  { host, there }: Extract<Admission, { readonly kind: "bound" }>,
): Exclude<Admission, { readonly kind: "bound" }> =>
  host === parseHostName(readRequestedHost(proxies, request)) ? there : { kind: "needs-sign-in" };

const refuse = (
  services: Services,
  request: WebRequest,
  query: ForwardAuthQuery,
  refused: Refused,
): MaybePromise<Answer> =>
  answerWithId(services.requests, request, () => {
    switch (refused.kind) {
      case "unknown-parameter":
        return refuseParameter(services, refused.name);
      case "excluded":
        return exclude(services, request, refused);
      case "unknown-app":
        return refuseUnknownApp(services, request, refused.problem);
      case "key-refused":
        // nginx accepts no other status, so its configuration turns the 401 into a 429.
        return refuseKey(services, request, refused, query.deny === "401" ? 401 : 429);
      // The compiler checks that every other kind is one of `NotAdmitted`.
      default:
        return refuseProxiedRequest(services, request, query, refused);
    }
  });

/** Explains the error to the operator. The proxy returns this line to the browser. */
const refuseParameter = ({ paths }: Services, name: string): Answer =>
  respondText(
    `unknown query parameter ${JSON.stringify(name)}: ${paths.base}${FORWARD_AUTH} accepts users, groups, factor=2, apps=only, deny and authorization; in Caddy, write "uri ${paths.base}${FORWARD_AUTH}?" with the question mark, which keeps the query of the page out`,
    400,
  );

/** Answers a proxy whose user is not signed in: a page is redirected, another request gets 401. */
function refuseProxiedRequest(
  services: Services,
  request: WebRequest,
  { deny }: ForwardAuthQuery,
  admission: NotAdmitted,
): Answer {
  const { options, proxies } = services;
  const path = findSignInPath(services, admission, request);
  if (!asksForPage(request)) {
    return respond(null, 401, options.guards.keys ? challengeForKey(request) : {});
  }
  const asked = readTarget(proxies, request);
  const target = acceptReturnTarget(options, request, asked);
  const isLost = target === undefined && admission.kind !== "needs-setup";
  // A target can be too long. The root of its host then replaces it.
  const other = isLost
    ? (parseHandoffTarget(options, asked) ??
      parseHandoffTarget(options, URL.parse("/", asked)?.href))
    : undefined;
  if (isLost && other === undefined) warnAboutLostHost(services, asked);
  const factor = admission.kind === "factor-unproven" ? ASKING_FACTOR : "";
  const location = other
    ? addReturnTo(`${other.origin}${HANDOFF}${factor}`, other.href)
    : addReturnTo(`${options.hosts.publicUrl ?? ""}${path}`, target);
  // nginx turns a redirect into a 500, so its configuration turns the 401 into a redirect.
  return deny === "401" ? respond(null, 401, { Location: location }) : redirect(location);
}

/**
 * Warns the operator, because a visitor of such a host signs in and returns without a session, in
 * an endless loop.
 */
function warnAboutLostHost({ options, requests }: Services, asked: string | undefined): void {
  const host = URL.parse(asked ?? "")?.hostname;
  const missing = host && findMissingScope(host, { ...options, ...options.hosts });
  if (missing)
    requests.log.warn(
      { host },
      `the session of the sign-in does not reach this host, so nobody can open an app there: set ${missing}`,
    );
}

const asksForPage = (request: WebRequest): boolean =>
  getRequestKind(request.header("x-forwarded-method") ?? "GET", request) === "page";

const UNKNOWN_APPS: Readonly<Record<UnknownAppProblem, string>> = {
  "no-app":
    "no app has this host: add it with `latchkey app add NAME --url https://HOST`, or remove the host from the proxy",
  "host-unreadable":
    "the host of a request cannot be read, so its app is unknown: the proxy must be in TRUSTED_PROXIES and send one host in X-Forwarded-Host",
};

/** Answers a request for a host whose app is unknown, whoever is signed in. */
function refuseUnknownApp(
  { views, requests, proxies }: Services,
  request: WebRequest,
  problem: UnknownAppProblem,
): MaybePromise<Answer> {
  const host = readRequestedHostName(proxies, request);
  // Without the field `address`, the server log counts the lines of all clients together.
  requests.log.warn({ host: host ?? quoteRequestedHost(request) }, UNKNOWN_APPS[problem]);
  return asksForPage(request)
    ? views.noApp({ request }, host)
    : respondText(`no app belongs to ${host ?? "this host"}`, 403);
}

/** Answers a signed-in user whom the app does not admit. */
function exclude(
  services: Services,
  request: WebRequest,
  { user, app, signOutUrl }: Extract<Refused, { readonly kind: "excluded" }>,
): MaybePromise<Answer> {
  if (!asksForPage(request)) return respond(null, 403);
  if (app !== undefined) services.rules.appUses.noteRefusal(app.id, user.id);
  const target = readTarget(services.proxies, request);
  const host = app?.name ?? (target && new URL(target).host);
  const signInUrl = signOutUrl === undefined ? findSignInUrl(services, request, target) : undefined;
  return services.views.excluded({ request, user }, { host, signOutUrl, signInUrl });
}

/**
 * Returns the URL of the sign-in page if the app is on another host from which the sign-out is
 * refused.
 */
function findSignInUrl(
  { options, paths }: Services,
  request: WebRequest,
  target: string | undefined,
): string | undefined {
  const { publicUrl, trustedOrigins } = options.hosts;
  const origin = target && new URL(target).origin;
  if (publicUrl === undefined || publicUrl === origin) return undefined;
  if (trustedOrigins.some((trusted) => trusted === origin)) return undefined;
  return addReturnTo(`${publicUrl}${paths.login}`, acceptReturnTarget(options, request, target));
}

/** Creates the response that admits the user, with the headers that the proxy passes to the app. */
function admit(
  { rules, proxies }: Services,
  request: WebRequest,
  { authorization }: ForwardAuthQuery,
  { kind, user }: Admitted | KeyAdmitted,
): MaybePromise<Answer> {
  const isKey = kind === "key-admitted";
  const answer = isKey ? answerKeyAdmitted(user) : answerAdmitted(user);
  // Some proxies replace the client's `Authorization` header with the one in the response.
  const repeated = authorization === "pass" && !isKey ? request.header("authorization") : undefined;
  const complete = repeated === undefined ? answer : withHeader(answer, "Authorization", repeated);
  if (rules.assertions === undefined) return complete;
  const assertion = rules.assertions.getAssertion(user, readRequestedHost(proxies, request));
  return andThen(assertion, (text) =>
    text === undefined ? complete : withHeader(complete, "Latchkey-Assertion", text),
  );
}

/** This header asks the proxy to remove the API key from the request. */
export const KEY_ACCEPTED = "Latchkey-Key";

/** Caches responses. The cache is keyed by user object, so a reloaded user gets a new response. */
function memoizeByUser(make: (user: User) => Answer): (user: User) => Answer {
  const made = new WeakMap<User, Answer>();
  return (user) => {
    const cached = made.get(user);
    if (cached !== undefined) return cached;
    const answer = make(user);
    made.set(user, answer);
    return answer;
  };
}

/**
 * Every request to an app gets this response, so it has only the headers that proxies use. Without
 * `no-store`, a proxy that caches everything would share one user's response with other users.
 */
const answerAdmitted = memoizeByUser((user) => {
  const { id, username, groups = [] } = user;
  const headers = {
    "Remote-User": encodeHeader(username),
    // An imported account keeps the ID of its old system, and this ID can be any text.
    "Remote-User-Id": encodeHeader(id),
    "Remote-Groups": groups.join(","),
    ...createProfileHeaders(user),
    "Cache-Control": "no-store",
    "Content-Length": "0",
  };
  return { status: 200, headers, cookies: [], body: null };
});

/** Creates the response for an API key. The proxy then removes the key from the request. */
const answerKeyAdmitted = memoizeByUser((user) =>
  withHeader(answerAdmitted(user), KEY_ACCEPTED, "accepted"),
);

/**
 * Encodes a header value, which consists of bytes. Text with `%` or with characters other than
 * plain ASCII is percent-encoded. Text with a comma is encoded too, because proxies and apps split
 * headers at commas.
 */
function encodeHeader(text: string): string {
  const plain = /^[\x21-\x24\x26-\x2b\x2d-\x7e]+( +[\x21-\x24\x26-\x2b\x2d-\x7e]+)*$/.test(text);
  return plain ? text : encodeURIComponent(text);
}

/**
 * Creates the headers of the profile. Apps may identify people by an address, so one that is not
 * verified is not sent. A name is only shown, so it is sent as Authelia sends it: as the bytes
 * of UTF-8, which HTTP allows in a value and which each character stands for here.
 */
function createProfileHeaders({ name, email, emailVerified }: User): Answer["headers"] {
  return {
    ...(name !== undefined &&
      isUsableName(name) && { "Remote-Name": Buffer.from(name).toString("latin1") }),
    ...(email !== undefined &&
      emailVerified === true &&
      /^[\x21-\x7e]{1,254}$/.test(email) && { "Remote-Email": email }),
  };
}

/** Returns the URL that the browser requested, according to a trusted proxy. */
function readTarget(proxies: ProxyTrust, request: WebRequest): string | undefined {
  const readForwarded = (name: string): string | undefined =>
    proxies.header(request, `x-forwarded-${name}`);
  const host = readForwarded("host");
  // Without a valid host, the proxy may have chosen the app by a name that differs from the URL.
  if (host === undefined || parseHostName(host) === undefined) return undefined;
  const url = `${readForwarded("proto")}://${host}${readForwarded("uri")}`;
  return readForwarded("uri")?.startsWith("/") ? URL.parse(url)?.href : undefined;
}
