import type { User } from "../db/records.ts";
import { Fault } from "../lib/fault.ts";
import { PLAIN_HOST } from "../lib/host-name.ts";
import { isAtOrBelow, isLocalPath, PRINTABLE } from "../lib/return-target.ts";

/**
 * Returns whether a redirect may use this location: a path of this site, or an absolute http or
 * https URL.
 */
export function isLocation(text: string): boolean {
  return isLocalPath(text) || parseOrigin(text) !== undefined;
}

/** Returns the origin of an absolute URL in plain spelling, or `undefined` for any other text. */
export function parseOrigin(text: string): string | undefined {
  const plain = /^https?:\/\/[^/\\]/i.test(text) && PRINTABLE.test(text) && URL.canParse(text);
  if (!plain) return undefined;
  const { hostname, origin } = new URL(text);
  return PLAIN_HOST.test(hostname) ? origin : undefined;
}

/** Returns the port of a URL. It is empty for the default port and without a URL. */
export function getPort(url: string | undefined): string {
  return url === undefined ? "" : new URL(url).port;
}

/**
 * Returns whether cookies can be set for the domain: it has at least two labels and is not an IP
 * address.
 */
export function isCookieDomain(text: string): boolean {
  return /^([a-z\d]([a-z\d-]*[a-z\d])?\.)+[a-z]([a-z\d-]*[a-z\d])?$/.test(text);
}

/**
 * Returns whether browsers accept a cookie for the domain from this origin. An unknown origin or
 * domain counts as accepted.
 */
export function canShareCookies(origin: string | undefined, domain: string | undefined): boolean {
  if (origin === undefined || domain === undefined) return true;
  return isAtOrBelow(new URL(origin).hostname, domain);
}

/** Sets where setup and sign-in redirect: a path or URL, or a function that returns one of them. */
export type PostLoginLocation = string | ((user: User) => string);

/** Returns the post-login location of this user. The result of an app's function is checked. */
export function resolveLocation(location: PostLoginLocation, user: User): string {
  const target = typeof location === "string" ? location : location(user);
  if (isLocation(target)) return target;
  throw new Fault(
    "invalid_post_login_location",
    "postLoginLocation must return a path or an http or https URL",
  );
}
