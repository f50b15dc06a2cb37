import { isOverTls } from "./session-cookie.ts";
import type { WebRequest } from "./web-request.ts";

/**
 * Whether another site made the browser send the request. A sibling subdomain counts as another
 * site, since others may control it. Without `Sec-Fetch-Site` and `Origin`, no browser sent the form.
 * A page of the same host over plain HTTP, which others on the network can change, is another site
 * for a request over HTTPS. If a proxy does not report HTTPS, the cookie is not `Secure` either.
 */
export function isCrossSite(
  request: Pick<WebRequest, "header" | "connection">,
  trustedOrigins: readonly string[],
): boolean {
  const origin = request.header("origin");
  if (origin !== undefined && trustedOrigins.includes(origin)) return false;
  const site = request.header("sec-fetch-site");
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  if (origin === undefined) return false;
  if (isOverTls(request) && !/^https:/i.test(origin)) return true;
  return !isSameHost(origin, request.header("host"));
}

/**
 * Whether a URL belongs to the host of the request. The scheme is ignored: behind a proxy that
 * terminates TLS, the browser uses https and the gate sees http.
 */
export function isSameHost(url: string, host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(url)) return false;
  const { protocol, host: itsHost } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return false;
  // Parsed with the same scheme, so that a default port is removed from both.
  return URL.parse(`${protocol}//${host}`)?.host === itsHost;
}
