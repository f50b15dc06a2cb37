import { availableParallelism } from "node:os";
import { isObject } from "./core/base/json.ts";
import { type Option, option, required, word } from "./core/base/options.ts";
import type { ServerLog } from "./core/base/server-log.ts";
import type { WorkQueueLimits } from "./core/base/work-queue.ts";
import type { AllowedHosts } from "./core/hosts/allowed-hosts.ts";
import { canonicalHost } from "./core/hosts/host-name.ts";
import type { EventListener } from "./core/log/event-listener.ts";
import { SESSION_LIFETIME_SECONDS } from "./core/sessions/session-token.ts";
import type { SetupTokenSource } from "./core/setup/setup-token.ts";
import type { Store } from "./db/store.ts";
import type { AuthOptions, OptionGroups } from "./options.ts";
import {
  isCookieDomain,
  isLocation,
  originOf,
  type PostLoginLocation,
} from "./web/answers/location.ts";
import { isColor } from "./web/pages/accent-color.ts";
import { MAX_CSS_BYTES } from "./web/pages/assets.ts";
import type { PageFunction, PageName } from "./web/pages/page-data.ts";
import { isLocale, type Locale, locales } from "./web/pages/words.ts";
import { isAddressRange } from "./web/request/remote-address.ts";

type TableOf<Options> = { readonly [K in keyof Options]-?: Option<Required<Options>[K]> };

type OptionTable = TableOf<Omit<AuthOptions, keyof OptionGroups>> & {
  readonly [G in keyof OptionGroups]: TableOf<OptionGroups[G]>;
};

const MAX_APP_NAME = 60;
/** Shorter prefixes would let one client block the sign-in for whole providers. */
const MIN_LIMIT_IPV6_PREFIX = 32;
/** With this prefix length, each IPv6 address counts by itself. */
export const MAX_LIMIT_IPV6_PREFIX = 128;
/** Three of libuv's four threads: the fourth stays free for files and names. */
const MAX_HASHES_AT_ONCE = 3;
const MAX_HASHES_WAITING = 128;

const noSetupToken: SetupTokenSource = { read: async () => undefined, delete: async () => {} };

/** For apps that pass no logger. */
const consoleLog: ServerLog = {
  warn: (fields, message) => console.warn(`latchkey: ${message}`, fields),
  error: (fields, message) => console.error(`latchkey: ${message}`, fields),
};

const isOrigin = (text: string): boolean => originOf(text) === text;
const isBasePath = (text: string): boolean =>
  text === "" || /^(\/(?!\.\.?(\/|$))[\w.~-]+)+$/.test(text);
const isHomePath = (text: string | null): boolean =>
  text === null || (text !== "" && isBasePath(text.replace(/\/$/, "")));
const isAppName = (text: string): boolean =>
  text.length <= MAX_APP_NAME && text.trim() !== "" && !/\p{Cc}/u.test(text);
const isIpv6Prefix = (bits: number): boolean =>
  Number.isInteger(bits) && bits >= MIN_LIMIT_IPV6_PREFIX && bits <= MAX_LIMIT_IPV6_PREFIX;
const isHostList = (hosts: AllowedHosts): boolean =>
  Array.isArray(hosts) && hosts.length > 0 && hosts.every((host) => canonicalHost(host) === host);

const optional = (takes: string, accepts: (text: string) => boolean): Option<string | undefined> =>
  option<string | undefined>(undefined, takes, accepts);

const list = (takes: string, accepts: (one: string) => boolean): Option<readonly string[]> =>
  option<readonly string[]>([], takes, (all) => Array.isArray(all) && all.every(accepts));

const flag = (on: boolean): Option<boolean> =>
  option(on, "true or false", (value) => typeof value === "boolean");

/** An object with the functions of its default. */
function functionsLike<T extends object>(otherwise: T): Option<T> {
  const names = Object.keys(otherwise);
  const takes = `an object with the functions ${names.join(" and ")}`;
  return option(otherwise, takes, (given) =>
    names.every((name) => typeof given[name as keyof T] === "function"),
  );
}

const frozenCopy = <T extends object>(given: T): T =>
  typeof given === "object" && given !== null ? Object.freeze({ ...given }) : given;

const pageFunction = <Name extends PageName>(): Option<PageFunction<Name> | undefined> =>
  option<PageFunction<Name> | undefined>(
    undefined,
    "a function that returns HTML",
    (page) => typeof page === "function",
  );

/** A path, which is checked when it is read. */
const path = optional("a path", (text) => typeof text === "string");

/** Every option. The gate's settings use the checks too. */
export const optionTable: OptionTable = {
  store: required<Store>(
    "a store, such as that of await openSqlite({ file })",
    (store) => isObject(store) && "users" in store && "observe" in store,
  ),
  secret: optional("text", (secret) => typeof secret === "string"),
  previousSecrets: list(
    "secrets that are not empty",
    (secret) => typeof secret === "string" && secret !== "",
  ),
  basePath: option<string>("", "a path without a trailing slash, such as /auth", isBasePath),
  homePath: option<string | null | undefined>(undefined, "a path such as /me, or null", isHomePath),
  postLoginLocation: option<PostLoginLocation>(
    "/",
    "a path such as / or an absolute http or https URL",
    (location) => typeof location === "function" || isLocation(location),
  ),
  setupToken: functionsLike(noSetupToken),
  setUpDomain: option<((domain: string) => Promise<void>) | undefined>(
    undefined,
    "a function",
    (start) => typeof start === "function",
  ),
  // Failures of the log are dropped later on, so this is the only report of a log that is not one.
  log: functionsLike(consoleLog),
  onEvent: option<EventListener | undefined>(
    undefined,
    "a function",
    (listener) => typeof listener === "function",
  ),
  people: flag(false),
  hosts: {
    allowed: option<AllowedHosts>(
      ["*"],
      "loopback-setup, or a list of host names without a port, or of * for any",
      (hosts) => hosts === "loopback-setup" || isHostList(hosts),
      // An invalid name stays as it is, and the check refuses it.
      (hosts) =>
        Array.isArray(hosts)
          ? Object.freeze(hosts.map((host) => canonicalHost(host) ?? host))
          : hosts,
    ),
    publicUrl: optional("an origin such as https://auth.example.org, without a path", isOrigin),
    cookieDomain: optional(
      "a domain such as example.org, in lower case and without a port",
      isCookieDomain,
    ),
    trustedOrigins: list("origins such as https://app.example.org, without a path", isOrigin),
    trustedProxies: list("IP addresses or ranges such as 10.0.0.0/8", isAddressRange),
  },
  guards: { returnTo: flag(false), onDenied: word("redirect", "negotiate"), keys: flag(false) },
  signIn: {
    passkeys: flag(true),
    codes: flag(true),
    rememberDevice: flag(true),
    limiter: word("own", "shared"),
    limitIpv6Prefix: option<number>(
      MAX_LIMIT_IPV6_PREFIX,
      `a whole number from ${MIN_LIMIT_IPV6_PREFIX} to ${MAX_LIMIT_IPV6_PREFIX}`,
      isIpv6Prefix,
    ),
    hashing: option<WorkQueueLimits>(
      { atOnce: Math.min(availableParallelism(), MAX_HASHES_AT_ONCE), waiting: MAX_HASHES_WAITING },
      "atOnce of 1 or more and waiting of 0 or more",
      ({ atOnce, waiting }) => atOnce >= 1 && waiting >= 0,
      frozenCopy,
    ),
  },
  sessions: {
    list: flag(true),
    lifetime: option<number>(
      SESSION_LIFETIME_SECONDS,
      "a whole number of seconds from 60 to 100000000000",
      (seconds) => Number.isInteger(seconds) && seconds >= 60 && seconds <= 100_000_000_000,
    ),
  },
  pages: {
    appName: option<string>("Latchkey", `one line of 1 to ${MAX_APP_NAME} characters`, isAppName),
    accentColor: optional("a color such as #1a5fb4", isColor),
    logoFile: path,
    logoFileDark: path,
    locale: option<Locale | undefined>(undefined, locales.join(", "), isLocale),
    css: optional(
      `CSS of at most ${MAX_CSS_BYTES} bytes`,
      (css) => typeof css === "string" && Buffer.byteLength(css) <= MAX_CSS_BYTES,
    ),
    login: pageFunction(),
    setup: pageFunction(),
    link: pageFunction(),
    home: pageFunction(),
    people: pageFunction(),
    activity: pageFunction(),
    error: pageFunction(),
  },
};
