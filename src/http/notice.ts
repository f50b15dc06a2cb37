import type { Notice } from "../pages/page-data.ts";
import { getWords } from "../pages/words.ts";
import { isOverTls, readCookie } from "./session-cookie.ts";
import type { WebRequest } from "./web-request.ts";

/** This time is long enough for the redirect, and too short to show the notice for an old form. */
const SHOWN_WITHIN_SECONDS = 60;

/** Returns the Set-Cookie line that makes Latchkey's next page show the notice. */
export const createNoticeCookie = (request: WebRequest, notice: Notice): string =>
  formatCookie(request, notice, SHOWN_WITHIN_SECONDS);

/**
 * Returns the notice if the request carries one, and the Set-Cookie lines that remove it, so that
 * it is shown once.
 */
export function takeNotice(request: WebRequest): {
  readonly notice: Notice | undefined;
  readonly cookies: readonly string[];
} {
  const value = readCookie(request.header("cookie"), getCookieName(request));
  if (value === undefined || !isNotice(value)) return { notice: undefined, cookies: [] };
  return { notice: value, cookies: [formatCookie(request, "", -1)] };
}

const isNotice = (text: string): text is Notice => Object.hasOwn(getWords("en").notices, text);

/** Browsers accept a `__Host-` cookie only from this host, and only over TLS. */
const getCookieName = (request: WebRequest): string =>
  isOverTls(request) ? "__Host-latchkey-notice" : "latchkey-notice";

function formatCookie(request: WebRequest, value: string, maxAge: number): string {
  const secure = isOverTls(request) ? "; Secure" : "";
  return `${getCookieName(request)}=${value}; Path=/${secure}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}`;
}
