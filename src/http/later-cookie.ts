import { isOverTls, readCookie } from "./session-cookie.ts";
import type { WebRequest } from "./web-request.ts";

/** Browsers keep a cookie for at most 400 days. */
const PUT_OFF_FOR_SECONDS = 365 * 86_400;

/** Returns the Set-Cookie line with which this browser puts off the suggestion of a passkey. */
export const createLaterCookie = (request: WebRequest): string =>
  `${getCookieName(request)}=1; Path=/${isOverTls(request) ? "; Secure" : ""}; HttpOnly; SameSite=Lax; Max-Age=${PUT_OFF_FOR_SECONDS}`;

/** Returns whether the user of this browser has put off the suggestion. */
export const hasLaterCookie = (request: WebRequest): boolean =>
  readCookie(request.header("cookie"), getCookieName(request)) !== undefined;

/** Browsers accept a `__Host-` cookie only from this host, and only over TLS. */
const getCookieName = (request: WebRequest): string =>
  isOverTls(request) ? "__Host-latchkey-later" : "latchkey-later";
