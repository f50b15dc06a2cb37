import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import { isOverTls } from "./session-cookie.ts";

const NAME = "latchkey-notice";
const PASSWORD_CHANGED = "password-changed";

/** Long enough for the page to be loaded again, not so long that it tells old news. */
const SHOWN_WITHIN_SECONDS = 60;

/** The Set-Cookie line that has the page at this path say that the password was changed. */
export const passwordChangedNotice = (c: Context, path: string): string =>
  line(c, path, PASSWORD_CHANGED, SHOWN_WITHIN_SECONDS);

export const clearedNotice = (c: Context, path: string): string => line(c, path, "", -1);

export const noticeIn = (c: Context): "password-changed" | undefined =>
  getCookie(c, nameFor(c)) === PASSWORD_CHANGED ? PASSWORD_CHANGED : undefined;

/** Over TLS a name that browsers take from this very host alone. Without TLS they would refuse it. */
const nameFor = (c: Context): string => (isOverTls(c) ? `__Host-${NAME}` : NAME);

function line(c: Context, path: string, value: string, maxAge: number): string {
  const place = isOverTls(c) ? "Path=/; Secure" : `Path=${path}`;
  return `${nameFor(c)}=${value}; ${place}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}`;
}
