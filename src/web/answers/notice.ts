import type { Notice } from "../pages/page-data.ts";
import { wordsIn } from "../pages/words.ts";
import type { WebRequest } from "../request/web-request.ts";
import { cookieIn, isOverTls } from "./session-cookie.ts";

/** Long enough for the redirect, and too short to show the notice for an old form. */
const SHOWN_WITHIN_SECONDS = 60;

/** The Set-Cookie line that makes the next page of Latchkey show the notice. */
export const noticeCookie = (request: WebRequest, notice: Notice): string =>
  cookieLine(request, notice, SHOWN_WITHIN_SECONDS);

/** The notice if the request carries it, and the Set-Cookie lines with which it is shown once. */
export function takeNotice(request: WebRequest): {
  readonly notice: Notice | undefined;
  readonly cookies: readonly string[];
} {
  const value = cookieIn(request.header("cookie"), nameFor(request));
  if (value === undefined || !isNotice(value)) return { notice: undefined, cookies: [] };
  return { notice: value, cookies: [cookieLine(request, "", -1)] };
}

const isNotice = (text: string): text is Notice => Object.hasOwn(wordsIn("en").notices, text);

/** Browsers accept a `__Host-` cookie only from this host, and only over TLS. */
const nameFor = (request: WebRequest): string =>
  isOverTls(request) ? "__Host-latchkey-notice" : "latchkey-notice";

function cookieLine(request: WebRequest, value: string, maxAge: number): string {
  const secure = isOverTls(request) ? "; Secure" : "";
  return `${nameFor(request)}=${value}; Path=/${secure}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}`;
}
