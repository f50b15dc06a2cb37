import { loadSuffixList } from "./public-suffix-list.ts";

/**
 * Explains why a domain cannot be shared: others can get names below a public suffix, by
 * registration as below `co.uk`, or from a provider as below `duckdns.org`. Returns `undefined` for
 * other domains and for names that no list contains, such as `home.lan`.
 */
export function findPublicSuffixProblem(domain: string): string | undefined {
  const { getDomain } = loadSuffixList();
  const isBelowSuffix = (host: string): boolean =>
    getDomain(host, { allowPrivateDomains: true }) !== null;
  // Below some domains, such as kawasaki.jp, each name is a public suffix.
  if (isBelowSuffix(domain) && isBelowSuffix(`any.${domain}`)) return undefined;
  return `${domain} is a public suffix, below which others can get host names; expected a domain of your own, such as example.${domain}`;
}
