import type { Notice } from "../pages/page-data.ts";
import { wordsIn } from "../pages/words.ts";
import type { WebRequest } from "../request/web-request.ts";
import { cookieIn, isOverTls } from "./session-cookie.ts";

const NAME = "latchkey-notice";

/** Long enough for the redirect, and too short to show the notice for an old form. */
const SHOWN_WITHIN_SECONDS = 60;

/** The Set-Cookie line that makes the page at this path show the notice. */
export const noticeCookie = (request: WebRequest, path: string, notice: Notice): string =>
  cookieLine(request, path, notice, SHOWN_WITHIN_SECONDS);

/** The notice if the request carries it, and the Set-Cookie lines with which it is shown once. */
export function takeNotice(
  request: WebRequest,
  path: string,
): { readonly notice: Notice | undefined; readonly cookies: readonly string[] } {
  const value = cookieIn(request.header("cookie"), nameFor(request));
  if (value === undefined || !isNotice(value)) return { notice: undefined, cookies: [] };
  return { notice: value, cookies: [cookieLine(request, path, "", -1)] };
}

const isNotice = (text: string): text is Notice => Object.hasOwn(wordsIn("en").notices, text);

/** Browsers accept a `__Host-` cookie only from this host, and only over TLS. */
const nameFor = (request: WebRequest): string => (isOverTls(request) ? `__Host-${NAME}` : NAME);

function cookieLine(request: WebRequest, path: string, value: string, maxAge: number): string {
  const place = isOverTls(request) ? "Path=/; Secure" : `Path=${path}`;
  return `${nameFor(request)}=${value}; ${place}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}`;
}
