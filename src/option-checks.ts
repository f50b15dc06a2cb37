import type { ServerLog } from "./core/base/server-log.ts";
import type { WorkQueueLimits } from "./core/base/work-queue.ts";
import { type AllowedHosts, canonicalHost } from "./core/hosts/allowed-hosts.ts";
import { isLocalPath } from "./core/hosts/return-target.ts";
import { MAX_LIMIT_IPV6_PREFIX } from "./options.ts";
import {
  isCookieDomain,
  isLocation,
  originOf,
  type PostLoginLocation,
} from "./web/answers/location.ts";
import { isColor } from "./web/pages/accent-color.ts";
import { isLocale, type Locale, locales } from "./web/pages/words.ts";

// One check for each option that can be wrong, under the option's name. The gate's settings use
// them too.

/** What an option accepts: in words that complete "expected …", and as a predicate. */
export interface Check<T> {
  readonly takes: string;
  readonly accepts: (value: T) => boolean;
}

const MAX_APP_NAME_LENGTH = 60;
const MIN_LIMIT_IPV6_PREFIX = 32;

const isOrigin = (text: string): boolean => originOf(text) === text;

export const previousSecrets: Check<readonly string[]> = {
  takes: "secrets that are not empty",
  accepts: (secrets) => !secrets.includes(""),
};

export const basePath: Check<string> = {
  takes: "a path without a trailing slash, such as /auth",
  accepts: (path) => path === "" || /^(\/(?!\.\.?(\/|$))[\w.~-]+)+$/.test(path),
};

export const postLoginLocation: Check<PostLoginLocation> = {
  takes: "a path such as / or an absolute http or https URL",
  accepts: (location) => typeof location !== "string" || isLocation(location),
};

export const homePath: Check<string> = {
  takes: "a path, or null",
  accepts: (path) => isLocalPath(path) && /^[^?#;]*$/.test(path),
};

export const appName: Check<string> = {
  takes: `one line of 1 to ${MAX_APP_NAME_LENGTH} characters`,
  accepts: (text) =>
    text.length <= MAX_APP_NAME_LENGTH && text.trim() !== "" && !/\p{Cc}/u.test(text),
};

export const accentColor: Check<string> = { takes: "a color such as #1a5fb4", accepts: isColor };

export const locale: Check<Locale> = { takes: locales.join(", "), accepts: isLocale };

export const publicUrl: Check<string> = {
  takes: "an origin such as https://auth.example.org, without a path",
  accepts: isOrigin,
};

export const cookieDomain: Check<string> = {
  takes: "a domain such as example.org, in lower case and without a port",
  accepts: isCookieDomain,
};

export const allowedHosts: Check<AllowedHosts> = {
  takes: "loopback-setup, or a list of host names without a port, or of * for any",
  accepts: (hosts) =>
    hosts === "loopback-setup" ||
    (Array.isArray(hosts) &&
      hosts.length > 0 &&
      hosts.every((host) => canonicalHost(host) === host)),
};

export const trustedOrigins: Check<readonly string[]> = {
  takes: "origins such as https://app.example.org, without a path",
  accepts: (origins) => origins.every(isOrigin),
};

export const onDenied: Check<string> = {
  takes: "redirect or negotiate",
  accepts: (answer) => answer === "redirect" || answer === "negotiate",
};

/** Failures of the log are dropped later on, so this is the only report of a log that is not one. */
export const log: Check<Partial<ServerLog>> = {
  takes: "an object with the functions warn and error",
  accepts: ({ warn, error }) => typeof warn === "function" && typeof error === "function",
};

/** Shorter prefixes would let one client block the sign-in for whole providers. */
export const limitIpv6Prefix: Check<number> = {
  takes: `a whole number from ${MIN_LIMIT_IPV6_PREFIX} to ${MAX_LIMIT_IPV6_PREFIX}`,
  accepts: (bits) =>
    Number.isInteger(bits) && bits >= MIN_LIMIT_IPV6_PREFIX && bits <= MAX_LIMIT_IPV6_PREFIX,
};

export const hashing: Check<WorkQueueLimits> = {
  takes: "atOnce of 1 or more and waiting of 0 or more",
  accepts: ({ atOnce, waiting }) => atOnce >= 1 && waiting >= 0,
};
