import { loadSuffixList } from "./public-suffix-list.ts";

/**
 * Why a domain cannot be shared: anyone can register names below a public suffix such as `co.uk`, or
 * get one there from a provider, as below `duckdns.org`. `undefined` for any other domain, and for
 * names that are in no list, such as `home.lan`.
 */
export function findPublicSuffixProblem(domain: string): string | undefined {
  const { getDomain } = loadSuffixList();
  const isBelowSuffix = (host: string): boolean =>
    getDomain(host, { allowPrivateDomains: true }) !== null;
  // Of some domains, such as kawasaki.jp, each name below is a public suffix.
  if (isBelowSuffix(domain) && isBelowSuffix(`any.${domain}`)) return undefined;
  return `${domain} is a public suffix, below which others can get host names; expected a domain of your own, such as example.${domain}`;
}
