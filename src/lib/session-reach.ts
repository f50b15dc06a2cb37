import { isAtOrBelow, isInDomains } from "./return-target.ts";

/** These settings decide on which hosts the session of the sign-in is valid. */
export interface SessionScope {
  /** The sign-in is at this URL. Without it, each host has its own sign-in. */
  readonly publicUrl: string | undefined;
  readonly cookieDomain: string | undefined;
  readonly returnDomains: readonly string[];
}

/**
 * Returns the settings to change when the session of the sign-in does not reach a host, since no
 * user could open an app there. Returns `undefined` if the session reaches the host.
 */
export function findMissingScope(host: string, scope: SessionScope): string | undefined {
  const { cookieDomain, returnDomains } = scope;
  const signIn = URL.parse(scope.publicUrl ?? "");
  if (signIn === null || signIn.hostname === host) return undefined;
  if (cookieDomain !== undefined && isAtOrBelow(host, cookieDomain)) return undefined;
  if (isInDomains(host, returnDomains)) return undefined;
  // Neither setting accepts an address or a name without a dot, so the sign-in must be at that
  // host.
  if (!/\..*[a-z]/.test(host) || host.startsWith("["))
    return `PUBLIC_URL=${signIn.protocol}//${host}`;
  const shared = cookieDomain === undefined ? findSharedDomain(host, signIn.hostname) : undefined;
  const domains = `RETURN_DOMAINS=${[...returnDomains, host].join(",")}`;
  const others = signIn.protocol === "https:" ? domains : `${domains} and a PUBLIC_URL with https`;
  return shared === undefined ? others : `COOKIE_DOMAIN=${shared} or ${others}`;
}

/** Finds the longest domain that both hosts are at or below, if that domain has a dot. */
function findSharedDomain(first: string, second: string): string | undefined {
  const labels = first.split(".");
  const domains = labels.map((_, at) => labels.slice(at).join("."));
  return domains.find((domain) => domain.includes(".") && isAtOrBelow(second, domain));
}
