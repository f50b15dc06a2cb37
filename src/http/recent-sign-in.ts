import { isRecentSignIn, type SessionTokens } from "../identity/session-token.ts";
import type { Clock } from "../lib/clock.ts";
import type { WebOptions } from "./options.ts";
import type { Paths } from "./paths.ts";
import { getRequestKind } from "./request-kind.ts";
import { type Answer, redirect, respondJson } from "./responses.ts";
import { acceptReturnTarget, addReturnTo } from "./return-to.ts";
import { readSession } from "./session-cookie.ts";
import { getParameter, type WebRequest } from "./web-request.ts";

/** Lists the services that know when a user has signed in. */
interface RecentSignInServices {
  readonly rules: {
    readonly tokens: Pick<SessionTokens, "verify">;
    readonly clock: Pick<Clock, "now">;
  };
}

interface SignInPageServices {
  readonly options: WebOptions;
  readonly paths: Paths;
}

/**
 * This form field and query parameter marks a repeated sign-in of a user who is already signed in.
 * With `1`, a sign-in within the last ten minutes is enough. A larger value is a time in seconds,
 * and the user must have signed in since then: an app asked for it at that time.
 */
export const AGAIN = "again";

/** Returns the value of the field or parameter `again`, or `undefined` if it is not valid. */
export const parseAgain = (value: string | undefined): string | undefined =>
  value !== undefined && /^[1-9]\d{0,11}$/.test(value) ? value : undefined;

/** Returns whether the user of this session has signed in within the last ten minutes. */
export function hasRecentSignIn({ rules }: RecentSignInServices, request: WebRequest): boolean {
  const session = readSession(rules, request);
  return session !== undefined && isRecentSignIn(session, rules.clock);
}

/** Returns whether the sign-in page asks a signed-in user to sign in again. */
export function asksForRecentSignIn(services: RecentSignInServices, request: WebRequest): boolean {
  const again = getParameter(request, AGAIN);
  if (again === undefined) return false;
  const since = Number(again);
  const { issuedAt = 0 } = readSession(services.rules, request) ?? {};
  if (since > 1 && Math.floor(issuedAt / 1_000) < since) return true;
  return !hasRecentSignIn(services, request);
}

/**
 * Redirects a user whose sign-in is too old to the sign-in page, and then to `page`. Without
 * `page`, the sign-in returns to the page that sent the request.
 */
export function askForRecentSignIn(
  { options, paths }: SignInPageServices,
  request: WebRequest,
  page: string | undefined,
): Answer {
  const target = page ?? acceptReturnTarget(options, request, request.header("referer"));
  const location = addReturnTo(`${paths.login}?${AGAIN}=1`, target);
  return getRequestKind(request.method, request) === "call"
    ? respondJson({ error: "sign_in_not_recent", location }, 403, { "HX-Redirect": location })
    : redirect(location);
}
