import { isOverTls } from "./session-cookie.ts";
import type { WebRequest } from "./web-request.ts";

/**
 * Returns whether another site made the browser send the request. A sibling subdomain counts as
 * another site, because others may control it.
 */
export function isCrossSite(
  request: Pick<WebRequest, "header" | "connection">,
  trustedOrigins: readonly string[],
): boolean {
  const origin = request.header("origin");
  if (origin !== undefined && trustedOrigins.includes(origin)) return false;
  const site = request.header("sec-fetch-site");
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  // Without both headers, no browser sent the form.
  if (origin === undefined) return false;
  // Attackers on the network can change a page over plain HTTP, so it counts as another site. If a
  // proxy does not report HTTPS, the cookie is not `Secure` either.
  if (isOverTls(request) && !/^https:/i.test(origin)) return true;
  return !isSameHost(origin, request.header("host"));
}

/**
 * Returns whether a URL belongs to the host of the request. The scheme is ignored: behind a proxy
 * that terminates TLS, the browser uses https and the gate sees http.
 */
export function isSameHost(url: string, host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(url)) return false;
  const { protocol, host: itsHost } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return false;
  // Both hosts are parsed with the same scheme, so that a default port is removed from both.
  return URL.parse(`${protocol}//${host}`)?.host === itsHost;
}
