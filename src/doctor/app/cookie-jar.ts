import { isIP } from "node:net";
import { isLoopbackHost } from "../../lib/loopback.ts";
import { loadSuffixList } from "../../lib/public-suffix-list.ts";
import { isAtOrBelow } from "../../lib/return-target.ts";

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  readonly isHostOnly: boolean;
  readonly path: string;
  readonly isSecure: boolean;
  readonly sameSite: "none" | "lax" | "strict" | "unset";
  readonly expiresAt: number | undefined;
}

/** An app can send any number of cookies. These limits are those of browsers. */
const MAX_COOKIES = 300;
const MAX_BYTES = 4_096;

/**
 * Keeps cookies as a browser does (RFC 6265): by host or domain, path and scheme. A cookie goes only
 * to hosts to which a browser would send it.
 */
export class CookieJar {
  readonly #now: () => number;
  #cookies: readonly Cookie[] = [];
  /** Contains each cookie that was ever kept, because an app can remove one that matters. */
  readonly #received = new Map<string, Set<string>>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Keeps the cookies of a response to a request for this URL. */
  keep(url: URL, setCookies: readonly string[]): void {
    for (const line of setCookies) {
      const cookie = parseCookie(line, url, this.#now());
      if (cookie === undefined) continue;
      this.#set(cookie);
      const { name, value } = cookie;
      if (value === "") continue;
      const values = this.#received.get(name) ?? new Set();
      this.#received.set(name, values.add(value));
    }
  }

  #set(cookie: Cookie): void {
    const others = this.#cookies.filter(
      ({ name, domain, path }) =>
        name !== cookie.name || domain !== cookie.domain || path !== cookie.path,
    );
    const hasEnded = cookie.expiresAt !== undefined && cookie.expiresAt <= this.#now();
    this.#cookies = hasEnded ? others : [...others, cookie].slice(-MAX_COOKIES);
  }

  /** Returns the value of the Cookie header, or `undefined` without cookies. */
  getHeader(url: URL, { from, by }: Leading): string | undefined {
    const isSame = from === undefined || isSameSite(from, url);
    const held: readonly Cookie["sameSite"][] = by === "form" ? ["strict", "lax"] : ["strict"];
    const sent = this.#cookies
      .filter((cookie) => isSentTo(cookie, url, this.#now()))
      .filter(({ sameSite }) => isSame || !held.includes(sameSite))
      .toSorted((first, second) => second.path.length - first.path.length);
    if (sent.length === 0) return undefined;
    return sent.map(({ name, value }) => `${name}=${value}`).join("; ");
  }

  /** Returns all values that cookies with this name had, of any host. */
  listValues(name: string): readonly string[] {
    return [...(this.#received.get(name) ?? [])];
  }
}

/** Says what leads to a request. */
export interface Leading {
  /** The visit began on a page of this URL. Without it, the person typed the address. */
  readonly from: URL | undefined;
  readonly by: "link" | "form";
}

/** Browsers take hosts below one registered name for one site, if the scheme is the same. */
function isSameSite(one: URL, other: URL): boolean {
  return one.protocol === other.protocol && getSite(one) === getSite(other);
}

const getSite = ({ hostname }: URL): string =>
  loadSuffixList().getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;

function isSentTo(cookie: Cookie, url: URL, now: number): boolean {
  const host = url.hostname;
  if (cookie.isHostOnly ? host !== cookie.domain : !isAtOrBelow(host, cookie.domain)) return false;
  if (cookie.isSecure && !isTrustworthy(url)) return false;
  if (cookie.expiresAt !== undefined && cookie.expiresAt <= now) return false;
  const { path } = cookie;
  return (
    url.pathname === path ||
    (url.pathname.startsWith(path) && (path.endsWith("/") || url.pathname[path.length] === "/"))
  );
}

/** Browsers send Secure cookies to this machine without TLS, too. */
const isTrustworthy = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || isLoopbackHost(hostname);

/** Parses a Set-Cookie line. Returns `undefined` for a cookie that a browser refuses. */
function parseCookie(line: string, url: URL, now: number): Cookie | undefined {
  const [pair = "", ...parts] = line.split(";");
  const equals = pair.indexOf("=");
  const name = pair.slice(0, equals).trim();
  const value = pair.slice(equals + 1).trim();
  if (equals < 1 || name === "" || name.length + value.length > MAX_BYTES) return undefined;
  // Node sends no header with other characters.
  if (!/^[\x20-\x7e]*$/.test(name + value)) return undefined;

  const attributes = new Map(
    parts.map((part): readonly [string, string] => {
      const [attribute = "", ...rest] = part.split("=");
      return [attribute.trim().toLowerCase(), rest.join("=").trim()];
    }),
  );
  const domain = readDomain(attributes.get("domain"), url.hostname);
  if (domain === undefined) return undefined;
  const isSecure = attributes.has("secure");
  if (isSecure && !isTrustworthy(url)) return undefined;
  const path = attributes.get("path") ?? "";
  const cookie: Cookie = {
    name,
    value,
    domain: domain || url.hostname,
    isHostOnly: domain === "",
    path: path.startsWith("/") ? path : getDefaultPath(url),
    isSecure,
    sameSite: readSameSite(attributes.get("samesite")),
    expiresAt: readExpiry(attributes, now),
  };
  return hasTruePrefix(cookie, attributes.get("path")) ? cookie : undefined;
}

/**
 * Returns the domain of a cookie, the empty text for a cookie of one host, and `undefined` for a
 * domain that this host may not set cookies for.
 */
function readDomain(attribute: string | undefined, host: string): string | undefined {
  const domain = (attribute ?? "").replace(/^\./, "").toLowerCase();
  if (domain === "") return "";
  if (isIP(host.replace(/^\[|\]$/g, "")) !== 0) return domain === host ? "" : undefined;
  if (!isAtOrBelow(host, domain)) return undefined;
  const isShared =
    loadSuffixList().getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
  if (!isShared) return domain;
  // A cookie for all hosts of a registry would reach strangers.
  return domain === host ? "" : undefined;
}

const getDefaultPath = ({ pathname }: URL): string =>
  pathname.slice(0, Math.max(pathname.lastIndexOf("/"), 1));

function readSameSite(attribute: string | undefined): Cookie["sameSite"] {
  const text = attribute?.toLowerCase();
  return text === "none" || text === "lax" || text === "strict" ? text : "unset";
}

function readExpiry(attributes: ReadonlyMap<string, string>, now: number): number | undefined {
  const age = attributes.get("max-age");
  if (age !== undefined && /^-?\d+$/.test(age)) return now + Number(age) * 1_000;
  const at = Date.parse(attributes.get("expires") ?? "");
  return Number.isNaN(at) ? undefined : at;
}

function hasTruePrefix({ name, isSecure, isHostOnly }: Cookie, path: string | undefined): boolean {
  if (/^__secure-/i.test(name)) return isSecure;
  return !/^__host-/i.test(name) || (isSecure && isHostOnly && path === "/");
}
