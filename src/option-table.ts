import { availableParallelism } from "node:os";
import type { EventListener } from "./audit/event-listener.ts";
import type { Store } from "./db/store.ts";
import type { SetupTokenSource } from "./features/setup/setup-token.ts";
import { MAX_CSS_BYTES } from "./http/assets.ts";
import {
  isCookieDomain,
  isLocation,
  type PostLoginLocation,
  parseOrigin,
} from "./http/location.ts";
import { isAddressRange } from "./http/remote-address.ts";
import { SESSION_LIFETIME_SECONDS } from "./identity/session-token.ts";
import type { AllowedHosts } from "./lib/allowed-hosts.ts";
import { normalizeHost } from "./lib/host-name.ts";
import { isObject } from "./lib/json.ts";
import { defineChoice, defineOption, defineRequired, type Option } from "./lib/options.ts";
import type { ServerLog } from "./lib/server-log.ts";
import type { WorkQueueLimits } from "./lib/work-queue.ts";
import type { AuthOptions, OptionGroups } from "./options.ts";
import { isColor } from "./pages/accent-color.ts";
import type { PageFunction, PageName } from "./pages/page-data.ts";
import { isLocale, type Locale, locales } from "./pages/words.ts";

type OptionRows<Options> = { readonly [K in keyof Options]-?: Option<Required<Options>[K]> };

type OptionTable = OptionRows<Omit<AuthOptions, keyof OptionGroups>> & {
  readonly [G in keyof OptionGroups]: OptionRows<OptionGroups[G]>;
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

const isOrigin = (text: string): boolean => parseOrigin(text) === text;
const isBasePath = (text: string): boolean =>
  text === "" || /^(\/(?!\.\.?(\/|$))[\w.~-]+)+$/.test(text);
const isHomePath = (text: string | null): boolean =>
  text === null || (text !== "" && isBasePath(text.replace(/\/$/, "")));
const isAppName = (text: string): boolean =>
  text.length <= MAX_APP_NAME && text.trim() !== "" && !/\p{Cc}/u.test(text);
const isIpv6Prefix = (bits: number): boolean =>
  Number.isInteger(bits) && bits >= MIN_LIMIT_IPV6_PREFIX && bits <= MAX_LIMIT_IPV6_PREFIX;
const isHostList = (hosts: AllowedHosts): boolean =>
  Array.isArray(hosts) && hosts.length > 0 && hosts.every((host) => normalizeHost(host) === host);

const createTextOption = (
  takes: string,
  accepts: (text: string) => boolean,
): Option<string | undefined> => defineOption<string | undefined>(undefined, takes, accepts);

const createListOption = (
  takes: string,
  accepts: (text: string) => boolean,
): Option<readonly string[]> =>
  defineOption<readonly string[]>([], takes, (all) => Array.isArray(all) && all.every(accepts));

const createFlagOption = (on: boolean): Option<boolean> =>
  defineOption(on, "true or false", (value) => typeof value === "boolean");

/** An object with the functions of its default. */
function createFunctionsOption<T extends object>(defaults: T): Option<T> {
  const names = Object.keys(defaults);
  const takes = `an object with the functions ${names.join(" and ")}`;
  return defineOption(defaults, takes, (functions) =>
    names.every((name) => typeof functions[name as keyof T] === "function"),
  );
}

const freezeCopy = <T extends object>(value: T): T =>
  typeof value === "object" && value !== null ? Object.freeze({ ...value }) : value;

const pageFunction = <Name extends PageName>(): Option<PageFunction<Name> | undefined> =>
  defineOption<PageFunction<Name> | undefined>(
    undefined,
    "a function that returns HTML",
    (page) => typeof page === "function",
  );

/** A path, which is checked when it is read. */
const pathOption = createTextOption("a path", (text) => typeof text === "string");

/** Every option. The gate's settings use the checks too. */
export const optionTable: OptionTable = {
  store: defineRequired<Store>(
    "a store, such as that of await openSqlite({ file })",
    (store) => isObject(store) && "users" in store && "observe" in store,
  ),
  secret: createTextOption("text", (secret) => typeof secret === "string"),
  previousSecrets: createListOption(
    "secrets that are not empty",
    (secret) => typeof secret === "string" && secret !== "",
  ),
  basePath: defineOption<string>("", "a path without a trailing slash, such as /auth", isBasePath),
  homePath: defineOption<string | null | undefined>(
    undefined,
    "a path such as /me, or null",
    isHomePath,
  ),
  postLoginLocation: defineOption<PostLoginLocation>(
    "/",
    "a path such as / or an absolute http or https URL",
    (location) => typeof location === "function" || isLocation(location),
  ),
  setupToken: createFunctionsOption(noSetupToken),
  setUpDomain: defineOption<((domain: string) => Promise<void>) | undefined>(
    undefined,
    "a function",
    (start) => typeof start === "function",
  ),
  // Failures of the log are dropped later on, so this is the only report of a log that is not one.
  log: createFunctionsOption(consoleLog),
  onEvent: defineOption<EventListener | undefined>(
    undefined,
    "a function",
    (listener) => typeof listener === "function",
  ),
  people: createFlagOption(false),
  hosts: {
    allowed: defineOption<AllowedHosts>(
      ["*"],
      "loopback-setup, or a list of host names without a port, or of * for any",
      (hosts) => hosts === "loopback-setup" || isHostList(hosts),
      // An invalid name stays as it is, and the check refuses it.
      (hosts) =>
        Array.isArray(hosts)
          ? Object.freeze(hosts.map((host) => normalizeHost(host) ?? host))
          : hosts,
    ),
    publicUrl: createTextOption(
      "an origin such as https://auth.example.org, without a path",
      isOrigin,
    ),
    cookieDomain: createTextOption(
      "a domain such as example.org, in lower case and without a port",
      isCookieDomain,
    ),
    trustedOrigins: createListOption(
      "origins such as https://app.example.org, without a path",
      isOrigin,
    ),
    trustedProxies: createListOption("IP addresses or ranges such as 10.0.0.0/8", isAddressRange),
  },
  guards: {
    returnTo: createFlagOption(false),
    onDenied: defineChoice("redirect", "negotiate"),
    keys: createFlagOption(false),
  },
  signIn: {
    passkeys: createFlagOption(true),
    codes: createFlagOption(true),
    rememberDevice: createFlagOption(true),
    limiter: defineChoice("own", "shared"),
    limitIpv6Prefix: defineOption<number>(
      MAX_LIMIT_IPV6_PREFIX,
      `a whole number from ${MIN_LIMIT_IPV6_PREFIX} to ${MAX_LIMIT_IPV6_PREFIX}`,
      isIpv6Prefix,
    ),
    hashing: defineOption<WorkQueueLimits>(
      { atOnce: Math.min(availableParallelism(), MAX_HASHES_AT_ONCE), waiting: MAX_HASHES_WAITING },
      "atOnce of 1 or more and waiting of 0 or more",
      ({ atOnce, waiting }) => atOnce >= 1 && waiting >= 0,
      freezeCopy,
    ),
  },
  sessions: {
    list: createFlagOption(true),
    lifetime: defineOption<number>(
      SESSION_LIFETIME_SECONDS,
      "a whole number of seconds from 60 to 100000000000",
      (seconds) => Number.isInteger(seconds) && seconds >= 60 && seconds <= 100_000_000_000,
    ),
  },
  pages: {
    appName: defineOption<string>(
      "Latchkey",
      `one line of 1 to ${MAX_APP_NAME} characters`,
      isAppName,
    ),
    accentColor: createTextOption("a color such as #1a5fb4", isColor),
    logoFile: pathOption,
    logoFileDark: pathOption,
    locale: defineOption<Locale | undefined>(undefined, locales.join(", "), isLocale),
    css: createTextOption(
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
