import type { WebRequest } from "../request/web-request.ts";
import { cookieIn, isOverTls } from "./session-cookie.ts";

/** What the next page shows once, after the redirect of a form. */
type Notice = "password-changed" | "session-not-ended";

const NAME = "latchkey-notice";

/** Long enough for the redirect, and too short to show the notice for an old form. */
const SHOWN_WITHIN_SECONDS = 60;

/** The Set-Cookie line that makes the page at this path show the notice. */
export const noticeCookie = (request: WebRequest, path: string, notice: Notice): string =>
  cookieLine(request, path, notice, SHOWN_WITHIN_SECONDS);

/** The one of these notices that the request carries, and the Set-Cookie lines with which it is shown once. */
export function takeNotice<N extends Notice>(
  request: WebRequest,
  path: string,
  ...notices: readonly N[]
): { readonly notice: N | undefined; readonly cookies: readonly string[] } {
  const given = cookieIn(request.header("cookie"), nameFor(request));
  const notice = notices.find((one) => one === given);
  if (notice === undefined) return { notice, cookies: [] };
  return { notice, cookies: [cookieLine(request, path, "", -1)] };
}

/** Browsers accept a `__Host-` cookie only from this host, and only over TLS. */
const nameFor = (request: WebRequest): string => (isOverTls(request) ? `__Host-${NAME}` : NAME);

function cookieLine(request: WebRequest, path: string, value: string, maxAge: number): string {
  const place = isOverTls(request) ? "Path=/; Secure" : `Path=${path}`;
  return `${nameFor(request)}=${value}; ${place}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}`;
}
