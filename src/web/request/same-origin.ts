/** What a browser says of where a request comes from. Other clients say nothing. */
export interface RequestOrigin {
  readonly secFetchSite: string | undefined;
  readonly origin: string | undefined;
  readonly host: string | undefined;
}

/**
 * Whether another site made the browser send this request. A sibling subdomain counts as another
 * site: it may belong to somebody else. Where neither header is there, it was no browser's form.
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
 * Whether a URL belongs to the host that was asked. The scheme is left out of it: behind a proxy
 * that ends TLS, the browser speaks https and we see http.
 */
export function isOfHost(url: string, host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(url)) return false;
  const { protocol, host: itsHost } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return false;
  // Parsed under the same scheme, so that a default port is left out of both or neither.
  const asked = `${protocol}//${host}`;
  return URL.canParse(asked) && new URL(asked).host === itsHost;
}
