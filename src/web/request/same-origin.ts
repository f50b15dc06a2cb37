/** The headers with which a browser reports where a request comes from. */
export interface RequestOrigin {
  readonly secFetchSite: string | undefined;
  readonly origin: string | undefined;
  readonly host: string | undefined;
}

/**
 * Whether another site made the browser send this request. A sibling subdomain counts as another
 * site, since others may control it. Without either header, no browser sent the form.
 */
export function isCrossSite(
  { secFetchSite, origin, host }: RequestOrigin,
  trustedOrigins: readonly string[],
): boolean {
  if (origin !== undefined && trustedOrigins.includes(origin)) return false;
  if (secFetchSite !== undefined) return secFetchSite !== "same-origin" && secFetchSite !== "none";
  return origin !== undefined && !isOfHost(origin, host);
}

/**
 * Whether a URL belongs to the host of the request. The scheme is ignored: behind a proxy that
 * terminates TLS, the browser uses https and the gate sees http.
 */
export function isOfHost(url: string, host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(url)) return false;
  const { protocol, host: itsHost } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return false;
  // Parsed with the same scheme, so that a default port is removed from both.
  const asked = `${protocol}//${host}`;
  return URL.canParse(asked) && new URL(asked).host === itsHost;
}
