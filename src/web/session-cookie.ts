import { SESSION_LIFETIME_SECONDS } from "../core/session-token.ts";
import { isEncrypted } from "./request/connection.ts";
import type { WebRequest } from "./request/web-request.ts";

const NAME = "session";

const CLEARED = `${NAME}=; Path=/; HttpOnly; Max-Age=-1`;

/** The Set-Cookie lines that sign out. */
export function clearedSessionCookies(domain: string | undefined): readonly string[] {
  return domain === undefined ? [CLEARED] : [`${CLEARED}; Domain=${domain}`, CLEARED];
}

/**
 * The Set-Cookie lines that sign in. With a domain, an older cookie of this host alone is cleared:
 * browsers would send it first. It is cleared before the new one is set, because some browsers do
 * not tell the two apart if the host is the domain itself.
 */
export function sessionCookies(
  request: WebRequest,
  token: string,
  domain: string | undefined,
): readonly string[] {
  const secure = isOverTls(request) ? "; Secure" : "";
  const cookie = `${NAME}=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${SESSION_LIFETIME_SECONDS}${secure}`;
  return domain === undefined ? [cookie] : [CLEARED, `${cookie}; Domain=${domain}`];
}

/** The header counts from any client: a false one only restricts the client's own sign-in. */
export function isOverTls(request: WebRequest): boolean {
  return isEncrypted(request) || request.header("x-forwarded-proto") === "https";
}

/** The session token of a Cookie header. Runs on every guarded request. */
export const sessionTokenIn = (cookies: string | undefined): string | undefined =>
  cookieIn(cookies, NAME);

/** The value of the first cookie of this name of a Cookie header. */
export function cookieIn(cookies: string | undefined, name: string): string | undefined {
  if (cookies === undefined) return undefined;
  let equals = cookies.indexOf("=");
  for (let start = 0; equals !== -1; ) {
    const semicolon = cookies.indexOf(";", start);
    const end = semicolon === -1 ? cookies.length : semicolon;
    if (equals < end) {
      if (cookies.slice(start, equals).trim() === name)
        return cookies.slice(equals + 1, end).trim();
      equals = cookies.indexOf("=", end);
    }
    start = end + 1;
  }
  return undefined;
}
