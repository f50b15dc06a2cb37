import { type AllowedHosts, canonicalHost } from "./core/allowed-hosts.ts";
import { isLocalPath } from "./core/local-path.ts";
import type { SettledOptions } from "./options.ts";
import { isCookieDomain, isLocation, originOf, sharesCookies } from "./web/location.ts";
import { isColor } from "./web/pages/accent-color.ts";
import { isLocale } from "./web/pages/locale.ts";
import { locales } from "./web/pages/words.ts";

const LONGEST_APP_NAME = 60;

const MIN_LIMIT_IPV6_PREFIX = 32;
/** Each IPv6 address counts by itself. */
export const MAX_LIMIT_IPV6_PREFIX = 128;

/** Shorter prefixes would let one client block the sign-in for whole providers. */
export const isLimitIpv6Prefix = (bits: number): boolean =>
  Number.isInteger(bits) && bits >= MIN_LIMIT_IPV6_PREFIX && bits <= MAX_LIMIT_IPV6_PREFIX;

/** One line of text that is not blank. */
export const isAppName = (text: string): boolean =>
  text.length <= LONGEST_APP_NAME && text.trim() !== "" && !/\p{Cc}/u.test(text);

const isBasePath = (text: string): boolean =>
  text === "" || /^(\/(?!\.\.?(\/|$))[\w.~-]+)+$/.test(text);

const isHomePath = (path: string | null): boolean =>
  path === null || (isLocalPath(path) && /^[^?#;]*$/.test(path));

const isOrigin = (text: string): boolean => originOf(text) === text;

const areAllowedHosts = (hosts: AllowedHosts): boolean =>
  hosts === "loopback-setup" ||
  (Array.isArray(hosts) && hosts.length > 0 && hosts.every((host) => canonicalHost(host) === host));

type Options = SettledOptions;

/** What has to hold, and what to say where it does not: the first that fails is told. */
const rules: readonly (readonly [text: string, holds: (options: Options) => boolean])[] = [
  [
    "previousSecrets takes secrets that are not empty",
    ({ previousSecrets }) => !previousSecrets.includes(""),
  ],
  [
    "basePath takes a path without a slash at its end, such as /auth",
    ({ basePath }) => isBasePath(basePath),
  ],
  [
    "postLoginLocation takes a path such as / or an absolute http or https URL",
    ({ postLoginLocation }) =>
      typeof postLoginLocation !== "string" || isLocation(postLoginLocation),
  ],
  ["homePath takes a path, or null", ({ homePath }) => isHomePath(homePath)],
  [
    `appName takes a name of ${LONGEST_APP_NAME} characters at most`,
    ({ appName }) => isAppName(appName),
  ],
  [
    "accentColor takes a colour such as #1a5fb4",
    ({ accentColor }) => accentColor === undefined || isColor(accentColor),
  ],
  [`locale takes ${locales.join(", ")}`, ({ locale }) => locale === undefined || isLocale(locale)],
  [
    "publicUrl takes an origin such as https://auth.example.org, without a path",
    ({ publicUrl }) => publicUrl === undefined || isOrigin(publicUrl),
  ],
  [
    "cookieDomain takes a domain such as example.org, in lower case and without a port",
    ({ cookieDomain }) => cookieDomain === undefined || isCookieDomain(cookieDomain),
  ],
  [
    "publicUrl has to be at or below cookieDomain, or browsers drop the cookie",
    ({ publicUrl, cookieDomain }) =>
      publicUrl === undefined ||
      cookieDomain === undefined ||
      sharesCookies(publicUrl, cookieDomain),
  ],
  [
    "allowedHosts takes loopback-setup, or a list of host names without a port, or of * for any",
    ({ allowedHosts }) => areAllowedHosts(allowedHosts),
  ],
  [
    "trustedOrigins takes origins such as https://app.example.org, without a path",
    ({ trustedOrigins }) => trustedOrigins.every(isOrigin),
  ],
  [
    `limitIpv6Prefix takes a whole number from ${MIN_LIMIT_IPV6_PREFIX} to ${MAX_LIMIT_IPV6_PREFIX}`,
    ({ limitIpv6Prefix }) => isLimitIpv6Prefix(limitIpv6Prefix),
  ],
  [
    "hashing takes atOnce of 1 or more and waiting of 0 or more",
    ({ hashing }) => hashing.atOnce >= 1 && hashing.waiting >= 0,
  ],
];

export const optionProblem = (options: Options): string | undefined =>
  rules.find(([, holds]) => !holds(options))?.[0];
