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
  const signInHost = URL.parse(scope.publicUrl ?? "")?.hostname;
  if (signInHost === undefined || signInHost === host) return undefined;
  if (cookieDomain !== undefined && isAtOrBelow(host, cookieDomain)) return undefined;
  if (isInDomains(host, returnDomains)) return undefined;
  const shared = cookieDomain === undefined ? findSharedDomain(host, signInHost) : undefined;
  const wanted = [...returnDomains, host].join(",");
  const remedies = [shared && `COOKIE_DOMAIN=${shared}`, `RETURN_DOMAINS=${wanted}`];
  return remedies.filter(Boolean).join(" or ");
}

/** The longest domain that both hosts are at or below, if it has a dot. */
function findSharedDomain(one: string, other: string): string | undefined {
  const labels = one.split(".");
  const domains = labels.map((_, at) => labels.slice(at).join("."));
  return domains.find((domain) => domain.includes(".") && isAtOrBelow(other, domain));
}
