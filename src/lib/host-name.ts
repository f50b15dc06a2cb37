/** In a list of hosts, this entry stands for every host. */
export const ANY_HOST = "*";

/**
 * Matches a plain host. The pattern is stricter than a URL parser, which accepts `*` and `;`: a
 * Content-Security-Policy interprets those characters.
 */
export const PLAIN_HOST: RegExp = /^([a-z\d._-]+|\[[\da-f:.]+\])$/;

/**
 * Normalises an entry of an allowed-hosts list. Returns `undefined` for an invalid host or a host
 * with a port.
 */
export function normalizeHost(text: string): string | undefined {
  if (text === ANY_HOST) return text;
  // In a list, an IPv6 address may be written without brackets.
  const host = /^[^[]*:.*:/.test(text) ? `[${text}]` : text;
  return /:\d*$/.test(host) ? undefined : parseUrlHost(host);
}

/**
 * Returns the name in a Host header, in lower case, without port and trailing dot. Returns
 * `undefined` if the URL parser changes the name, as for `photos%2eexample.org` or a soft hyphen:
 * the proxy has chosen the upstream by the host as it was sent.
 */
export function parseHostName(host: string): string | undefined {
  const name = parseUrlHost(host);
  const sent = host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
  return name === sent ? name : undefined;
}

function parseUrlHost(host: string): string | undefined {
  // With these characters, a URL parser would take another part of the text as the host.
  if (/[\s/\\?#@]/.test(host)) return undefined;
  const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, "");
  return name !== undefined && PLAIN_HOST.test(name) ? name : undefined;
}
