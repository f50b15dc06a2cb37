/** What a Location header can contain without browsers dropping characters. */
export const PRINTABLE: RegExp = /^[\x21-\x7e]+$/;

/** Whether the text is a path of this site. Browsers read `//host` and `/\host` as another host. */
export function isLocalPath(text: string): boolean {
  return /^\/(?![/\\])/.test(text) && PRINTABLE.test(text);
}

/** Where a sign-in may redirect to. */
export interface ReturnScope {
  /** The schemes that a target may have: `https:` alone if users reach the gate over HTTPS. */
  readonly protocols: readonly string[];
  /** The gate's own origins. */
  readonly origins: readonly string[];
  /** As for `isInDomains`. */
  readonly domains: readonly string[];
  /** The port of the public URL, empty for the default port: the only one accepted on other hosts. */
  readonly port: string;
}

const MAX_LENGTH = 2_048;

/**
 * Whether a return target from a client is within the scope. Accepts only the normalised form of a
 * URL, so that no browser reads another host than this check.
 */
export function isReturnTarget(target: string, scope: ReturnScope): boolean {
  const { protocols, origins, domains, port } = scope;
  if (target.length > MAX_LENGTH || !PRINTABLE.test(target)) return false;
  if (target.startsWith("/")) return isLocalPath(target);
  if (!URL.canParse(target)) return false;
  const url = new URL(target);
  if (url.href !== target || url.username !== "" || url.password !== "") return false;
  if (!protocols.includes(url.protocol)) return false;
  if (origins.includes(url.origin)) return true;
  return url.port === port && isInDomains(url.hostname, domains);
}

/** Whether the host is at or below one of the domains; for `*.third.org` only below it. */
export const isInDomains = (host: string, domains: readonly string[]): boolean =>
  domains.some((domain) =>
    domain.startsWith("*") ? host.endsWith(domain.slice(1)) : isAtOrBelow(host, domain),
  );

export function isAtOrBelow(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}
