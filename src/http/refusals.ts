import type { User } from "../db/records.ts";
import type { KeyProblem, KeyRefusal } from "../identity/authenticate-key.ts";
import type { NotAdmitted } from "../identity/authenticate-session.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { WebOptions } from "./options.ts";
import type { Paths } from "./paths.ts";
import { getRequestKind, KIND_HEADERS } from "./request-kind.ts";
import { type Answer, type Headers, redirect, respondJson, respondText } from "./responses.ts";
import { acceptReturnTarget, addReturnTo } from "./return-to.ts";
import type { Views } from "./views.ts";
import { logRefusal, type WarningServices } from "./warnings.ts";
import { getParameter, type WebRequest } from "./web-request.ts";

/** Lists the services that refuse a request whose user is not signed in or not admitted. */
export interface RefusalServices extends WarningServices {
  readonly options: WebOptions;
  readonly paths: Paths;
  readonly views: Pick<Views, "fault" | "excluded">;
}

/** The sign-in page and forward auth use this query parameter to require a second factor. */
export const FACTOR = "factor";

/** This query makes the sign-in page require a second factor. */
export const ASKING_FACTOR: string = `?${FACTOR}=2`;

/** Returns whether this page requires a sign-in with a second factor. */
export const asksForFactor = (request: WebRequest): boolean =>
  getParameter(request, FACTOR) === "2";

/**
 * Returns the path to which a refused request is redirected: the sign-in, the setup, or the page
 * that turns on a second factor. A forged session token is logged.
 */
export function findSignInPath(
  { requests, proxies, paths }: WarningServices & Pick<RefusalServices, "paths">,
  admission: NotAdmitted,
  request: WebRequest,
): string {
  switch (admission.kind) {
    case "needs-setup":
      return paths.setup;
    case "factor-missing":
      return paths.account?.signInMethods ?? paths.login;
    case "factor-unproven":
      return paths.login + ASKING_FACTOR;
    case "needs-sign-in":
    case "bound":
    case "forged-token":
      noteForgedToken({ requests, proxies }, admission, request);
      return paths.login;
  }
}

/** Logs a session token with a wrong signature; other admissions are not logged. */
export function noteForgedToken(
  services: WarningServices,
  { kind }: NotAdmitted,
  request: WebRequest,
): void {
  if (kind === "forged-token") logRefusal(services, request, "forged session token refused");
}

/**
 * A 401 response needs a challenge. Browsers open no dialog for this scheme, because they do not
 * know it.
 */
export const COOKIE_CHALLENGE = {
  "WWW-Authenticate": 'Cookie cookie-name="session"',
};

/**
 * Answers a request without a user who may use the route.
 *
 * @param path is the path of the sign-in or the setup.
 */
export function refuseSignedOut(options: WebOptions, path: string, request: WebRequest): Answer {
  const returningTo = (target: string | undefined): string =>
    options.guards.returnTo
      ? addReturnTo(path, acceptReturnTarget(options, request, target))
      : path;
  const kind = getRequestKind(request.method, request);
  const vary = options.guards.onDenied === "negotiate" && { Vary: KIND_HEADERS };
  if (vary && kind === "call") {
    const isHtmx = request.header("hx-request") !== undefined;
    const leave = isHtmx && { "HX-Redirect": returningTo(request.header("hx-current-url")) };
    const challenge = (options.guards.keys && challengeForKey(request)) || COOKIE_CHALLENGE;
    return respondJson({ error: "sign_in_required" }, 401, { ...challenge, ...vary, ...leave });
  }
  const location = kind === "page" ? returningTo(`${request.path}${request.query}`) : path;
  return redirect(location, [], { ...vary });
}

/** Answers a signed-in user who is not admitted: programs get JSON, other clients get a page. */
export function refuseExcluded(
  { options, views }: Pick<RefusalServices, "options" | "views">,
  request: WebRequest,
  user: User,
): MaybePromise<Answer> {
  const isCall =
    options.guards.onDenied === "negotiate" && getRequestKind(request.method, request) === "call";
  return isCall
    ? respondJson({ error: "no_access" }, 403, { Vary: KIND_HEADERS })
    : views.excluded({ request, user });
}

const BASIC: Headers = { "WWW-Authenticate": 'Basic realm="latchkey", charset="UTF-8"' };
const BEARER: Headers = { "WWW-Authenticate": 'Bearer error="invalid_token"' };

/**
 * Returns the challenge that asks a program for its API key. Some programs send the key only after
 * a challenge. Browsers (`Mozilla/…`) would show a Basic dialog, so they get no challenge.
 */
export const challengeForKey = (request: WebRequest): Headers | undefined =>
  request.header("user-agent")?.startsWith("Mozilla/") === true ? undefined : BASIC;

const PROBLEMS: Readonly<Record<KeyProblem, string>> = {
  mistyped: "this key is incomplete or mistyped",
  unknown: "there is no such key, or it was revoked",
  expired: "this key has expired",
  "other-host": "this key does not open this host",
  "factor-unproven":
    "this key was made without a second factor, which is needed here: make another key",
  limited: "too many wrong keys",
};

/** The limiter counts within a window of this length. */
export const RETRY_AFTER: Headers = { "Retry-After": "60" };

/**
 * Answers a request with an API key that is not accepted.
 *
 * @param limited is the status after too many wrong keys.
 */
export function refuseKey(
  services: WarningServices,
  request: WebRequest,
  { problem }: KeyRefusal,
  limited: 401 | 429 = 429,
): Answer {
  const challenge = /^basic /i.test(request.header("authorization") ?? "") ? BASIC : BEARER;
  if (problem === "limited") {
    logRefusal(services, request, "key rate-limited");
    return respondText(PROBLEMS.limited, limited, { ...challenge, ...RETRY_AFTER });
  }
  logRefusal(services, request, "key refused", { problem });
  return respondText(PROBLEMS[problem], 401, challenge);
}
