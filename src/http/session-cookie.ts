import type { Admission, AuthenticateToken } from "../identity/authenticate-session.ts";
import type { IssuedToken, SessionTokens, VerifiedToken } from "../identity/session-token.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { WebRequest } from "./web-request.ts";

export const SESSION_COOKIE = "session";

const CLEARED = `${SESSION_COOKIE}=; Path=/; HttpOnly; Max-Age=-1`;

/** Returns the Set-Cookie lines that sign out. */
export function clearSessionCookies(domain: string | undefined): readonly string[] {
  return domain === undefined ? [CLEARED] : [`${CLEARED}; Domain=${domain}`, CLEARED];
}

/**
 * Returns the Set-Cookie lines that sign in. With a domain, a cookie of only this host is cleared,
 * because browsers would send it first. The old cookie is cleared first, because some browsers do
 * not distinguish the two if the host is the domain itself.
 */
export function createSessionCookies(
  request: WebRequest,
  token: IssuedToken,
  domain: string | undefined,
): readonly string[] {
  const secure = isOverTls(request) ? "; Secure" : "";
  // A token from another issuer can have fractions of a second.
  const lifetime = Math.ceil((token.expiresAt - token.issuedAt) / 1_000);
  const cookie = `${SESSION_COOKIE}=${token.text}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${lifetime}${secure}`;
  return domain === undefined ? [cookie] : [CLEARED, `${cookie}; Domain=${domain}`];
}

const DEVICE_COOKIE = "latchkey-device";

export const readDeviceCookie = (request: WebRequest): string | undefined =>
  readCookie(request.header("cookie"), DEVICE_COOKIE);

/**
 * Returns the Set-Cookie line of a remembered device. Browsers send it only to the sign-in, on this
 * host.
 */
export function createDeviceCookie(
  request: WebRequest,
  path: string,
  text: string,
  lifetimeSeconds: number,
): string {
  const secure = isOverTls(request) ? "; Secure" : "";
  return `${DEVICE_COOKIE}=${text}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${lifetimeSeconds}${secure}`;
}

/**
 * Returns whether the client uses TLS. An unknown connection counts as unencrypted. The header
 * counts from any client, because a false header only restricts the client's own sign-in.
 */
export const isOverTls = (request: Pick<WebRequest, "connection" | "header">): boolean =>
  request.connection.encrypted === true || request.header("x-forwarded-proto") === "https";

/** A sibling host can add cookies of this name, and each token costs a signature check. */
const MAX_TRIED = 4;

/** Returns the session tokens of a Cookie header. Only the first four count. */
export function readSessionTokens(cookies: string | undefined): readonly string[] {
  const tokens: string[] = [];
  while (tokens.length < MAX_TRIED) {
    const token = readCookie(cookies, SESSION_COOKIE, tokens.length);
    if (token === undefined) break;
    tokens.push(token);
  }
  return tokens;
}

/** Returns the session of a request: its first genuine token, if that token is still valid. */
export function readSession(
  { tokens }: { readonly tokens: Pick<SessionTokens, "verify"> },
  request: WebRequest,
): VerifiedToken | undefined {
  const verified = readSessionTokens(request.header("cookie")).map(tokens.verify);
  return verified.find((token) => token !== "forged");
}

/** Identifies the user by the first genuine session token of a Cookie header. */
export type AuthenticateCookies = (cookies: string | undefined) => MaybePromise<Admission>;

/**
 * Creates a function that takes the session token from the Cookie header. It reads later cookies
 * only if the first session cookie is forged.
 */
export function createAuthenticateCookies(
  authenticate: AuthenticateToken,
  isGenuine: (token: string) => boolean,
): AuthenticateCookies {
  function tryOtherTokens(
    admission: Admission,
    cookies: string | undefined,
  ): MaybePromise<Admission> {
    if (admission.kind !== "forged-token") return admission;
    const genuine = readSessionTokens(cookies).slice(1).find(isGenuine);
    return genuine === undefined ? admission : authenticate(genuine);
  }
  const continueLater = (
    first: Promise<Admission>,
    cookies: string | undefined,
  ): Promise<Admission> => first.then((admission) => tryOtherTokens(admission, cookies));
  // This function creates no closure, because it is on the hot path.
  return (cookies) => {
    const first = authenticate(readCookie(cookies, SESSION_COOKIE));
    return first instanceof Promise
      ? continueLater(first, cookies)
      : tryOtherTokens(first, cookies);
  };
}

/**
 * Returns the value of the first cookie of this name that is not empty, after `skip` others. This
 * function runs on every guarded request.
 */
export function readCookie(
  cookies: string | undefined,
  name: string,
  skip = 0,
): string | undefined {
  if (cookies === undefined) return undefined;
  let left = skip;
  let equals = cookies.indexOf("=");
  for (let start = 0; equals !== -1; ) {
    const semicolon = cookies.indexOf(";", start);
    const end = semicolon === -1 ? cookies.length : semicolon;
    if (equals < end) {
      if (trimBlanks(cookies, start, equals) === name) {
        const value = trimBlanks(cookies, equals + 1, end);
        if (value !== "" && left === 0) return value;
        if (value !== "") left -= 1;
      }
      equals = cookies.indexOf("=", end);
    }
    start = end + 1;
  }
  return undefined;
}

/**
 * Removes the spaces and tabs around a text. Browsers treat other white space as part of the name.
 */
function trimBlanks(text: string, start: number, end: number): string {
  let [from, to] = [start, end];
  while (from < to && isBlank(text.charCodeAt(from))) from += 1;
  while (from < to && isBlank(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;
