import type { Context } from "hono";
import { SESSION_LIFETIME_SECONDS } from "../core/session-token.ts";
import { connectionOf } from "./connection.ts";

const NAME = "session";

/** Written by hand, since Hono's helper drops a negative Max-Age. */
export function clearedSessionCookie(domain: string | undefined): string {
  return `${NAME}=; Path=/; HttpOnly; Max-Age=-1${domainOf(domain)}`;
}

export function sessionCookie(c: Context, token: string, domain: string | undefined): string {
  const secure = isOverTls(c) ? "; Secure" : "";
  return `${NAME}=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${SESSION_LIFETIME_SECONDS}${secure}${domainOf(domain)}`;
}

/** With a domain, everything below it shares the session. */
function domainOf(domain: string | undefined): string {
  return domain === undefined ? "" : `; Domain=${domain}`;
}

/** The header is believed from anybody: a client that lies makes only its own cookie stricter. */
function isOverTls(c: Context): boolean {
  return connectionOf(c).encrypted || c.req.header("x-forwarded-proto") === "https";
}

/** The value of the first `session` cookie of a Cookie header. Runs on every guarded request. */
export function sessionTokenIn(cookies: string | undefined): string | undefined {
  if (cookies === undefined) return undefined;
  let equals = cookies.indexOf("=");
  for (let start = 0; equals !== -1; ) {
    const semicolon = cookies.indexOf(";", start);
    const end = semicolon === -1 ? cookies.length : semicolon;
    if (equals < end) {
      if (cookies.slice(start, equals).trim() === NAME)
        return cookies.slice(equals + 1, end).trim();
      equals = cookies.indexOf("=", end);
    }
    start = end + 1;
  }
  return undefined;
}
