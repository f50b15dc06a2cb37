import { isAtOrBelow, isInDomains } from "./return-target.ts";

/** The settings that decide at which hosts the session of the sign-in counts. */
export interface SessionScope {
  /** The sign-in. Without it, each host has a sign-in of its own. */
  readonly publicUrl: string | undefined;
  readonly cookieDomain: string | undefined;
  readonly returnDomains: readonly string[];
}

/**
 * What to set when the session of the sign-in does not reach a host: nobody could open an app there.
 * `undefined` if it does reach the host.
 */
export function findMissingScope(host: string, scope: SessionScope): string | undefined {
  const { cookieDomain, returnDomains } = scope;
  const signIn = URL.parse(scope.publicUrl ?? "");
  if (signIn === null || signIn.hostname === host) return undefined;
  if (cookieDomain !== undefined && isAtOrBelow(host, cookieDomain)) return undefined;
  if (isInDomains(host, returnDomains)) return undefined;
  // Neither setting takes a name without a dot or an address: the sign-in has to be at that host.
  if (!/\..*[a-z]/.test(host) || host.startsWith("["))
    return `PUBLIC_URL=${signIn.protocol}//${host}`;
  const shared = cookieDomain === undefined ? findSharedDomain(host, signIn.hostname) : undefined;
  const domains = `RETURN_DOMAINS=${[...returnDomains, host].join(",")}`;
  const others = signIn.protocol === "https:" ? domains : `${domains} and a PUBLIC_URL with https`;
  return shared === undefined ? others : `COOKIE_DOMAIN=${shared} or ${others}`;
}

/** The longest domain that both hosts are at or below, if it has a dot. */
function findSharedDomain(first: string, second: string): string | undefined {
  const labels = first.split(".");
  const domains = labels.map((_, at) => labels.slice(at).join("."));
  return domains.find((domain) => domain.includes(".") && isAtOrBelow(second, domain));
}
