import type { Context } from "hono";
import { SESSION_LIFETIME_SECONDS } from "../core/session-token.ts";
import { connectionOf } from "./connection.ts";

const NAME = "session";

/** Written by hand, since Hono's helper drops a negative Max-Age. */
export const clearedSessionCookie: string = `${NAME}=; Path=/; HttpOnly; Max-Age=-1`;

export function sessionCookie(c: Context, token: string): string {
  const secure = isOverTls(c) ? "; Secure" : "";
  return `${NAME}=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${SESSION_LIFETIME_SECONDS}${secure}`;
}

/** The header is believed from anybody: a client that lies makes only its own cookie stricter. */
function isOverTls(c: Context): boolean {
  return connectionOf(c).encrypted || c.req.header("x-forwarded-proto") === "https";
}

/** The value of the first `session` cookie of a Cookie header. */
export function sessionTokenIn(cookies: string | undefined): string | undefined {
  if (cookies === undefined) return undefined;
  for (const cookie of cookies.split(";")) {
    const equals = cookie.indexOf("=");
    if (equals !== -1 && cookie.slice(0, equals).trim() === NAME) {
      return cookie.slice(equals + 1).trim();
    }
  }
  return undefined;
}
