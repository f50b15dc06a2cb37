/** Matches what a Location header can contain without browsers dropping characters. */
export const PRINTABLE: RegExp = /^[\x21-\x7e]+$/;

/**
 * Returns whether the text is a path of this site. Browsers read `//host` and `/\host` as another
 * host.
 */
export function isLocalPath(text: string): boolean {
  return /^\/(?![/\\])/.test(text) && PRINTABLE.test(text);
}

/** Defines the targets that a sign-in may redirect to. */
export interface ReturnScope {
  /**
   * A target must have one of these schemes. The list has only `https:` if users reach the gate
   * over HTTPS.
   */
  readonly protocols: readonly string[];
  /** The list contains the origins of the gate itself. */
  readonly origins: readonly string[];
  /** The domains have the form that `isInDomains` expects. */
  readonly domains: readonly string[];
  /**
   * The port of the public URL is the only port accepted on other hosts. It is empty for the
   * default port.
   */
  readonly port: string;
}

const MAX_LENGTH = 2_048;

/**
 * Returns whether a return target from a client is within the scope. Accepts only the normalised
 * form of a URL, so that no browser reads another host than this check.
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

/**
 * Returns whether the host is at or below one of the domains. For `*.third.org`, the host must be
 * below it.
 */
export const isInDomains = (host: string, domains: readonly string[]): boolean =>
  domains.some((domain) =>
    domain.startsWith("*") ? host.endsWith(domain.slice(1)) : isAtOrBelow(host, domain),
  );

export function isAtOrBelow(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}
