import { availableParallelism } from "node:os";
import { type AllowedHosts, canonicalHost } from "./core/allowed-hosts.ts";
import { Fault } from "./core/fault.ts";
import type { LogReader } from "./core/log-reader.ts";
import { type Meter, noMeter } from "./core/meter.ts";
import { isLocalPath } from "./core/return-target.ts";
import { type Environment, secretProblem, secretWeakness } from "./core/secrets.ts";
import type { ServerLog } from "./core/server-log.ts";
import { DEVELOPMENT_SECRET } from "./core/session-token.ts";
import type { SetupTokenSource } from "./core/setup-token.ts";
import type { AttemptCounter } from "./core/shared-limiter.ts";
import type { Store } from "./core/store.ts";
import type { WorkQueueLimits } from "./core/work-queue.ts";
import {
  isCookieDomain,
  isLocation,
  originOf,
  type PostLoginLocation,
  sharesCookies,
} from "./web/location.ts";
import { isColor } from "./web/pages/accent-color.ts";
import { isLocale } from "./web/pages/locale.ts";
import type { PageFunctions } from "./web/pages/page-data.ts";
import { type Locale, locales } from "./web/pages/words.ts";

export interface AuthOptions {
  /**
   * Where accounts and log entries live. It stays yours: close it after the Auth object. The home
   * page shows the newest entries if it can read them.
   */
  readonly store: Store & Partial<LogReader> & Partial<AttemptCounter>;
  /**
   * Signs the session tokens: 32 random bytes or more, the same on every instance. `undefined` or
   * empty uses the built-in development secret with a warning; in production `createAuth` throws.
   */
  readonly secret: string | undefined;
  /** Older secrets, whose sessions stay valid while a new one is brought in. */
  readonly previousSecrets?: readonly string[];
  /** Stands before every path of Latchkey's, such as `/auth`. Default: none. */
  readonly basePath?: string;
  /** Where setup and sign-in lead: a path or an absolute URL, or what tells it. Default `/`. */
  readonly postLoginLocation?: PostLoginLocation;
  /** The path of the page with the password form, `null` for none. Default: the base path, or `/`. */
  readonly homePath?: string | null;
  /** A folder with templates that replace the pages of the same name. */
  readonly pagesDir?: string | undefined;
  /** What the pages call this place. Default: `Latchkey`. */
  readonly appName?: string;
  /** The colour of buttons and links, such as `#1a5fb4`; made as dark or light as it takes to read it. */
  readonly accentColor?: string | undefined;
  /** An image that stands above each page's heading. Default: a key. */
  readonly logoFile?: string | undefined;
  /** The one language of all pages. Default: of those there are, the one that the reader prefers. */
  readonly locale?: Locale | undefined;
  /** `on` also answers `/favicon.svg`, `/robots.txt` and `/.well-known/change-password`. Default: off. */
  readonly siteFiles?: "on" | "off";
  /** `on` also answers `/healthz` (alive) and `/readyz` (the store answers). Default: off. */
  readonly health?: "on" | "off";
  /** Pages of your own as functions that answer with HTML; escaping is theirs to do. */
  readonly pages?: PageFunctions;
  /** The one-time token that setup asks for. Default: none, so setup is open to the first comer. */
  readonly setupToken?: SetupTokenSource;
  /** Called in the background with the domain from the setup form. A failure is only logged. */
  readonly setUpDomain?: ((domain: string) => Promise<void>) | undefined;
  /**
   * The host names that requests for Latchkey's paths may use, without ports; others get 421.
   * `loopback-setup`, for an app that listens on loopback, restricts only the setup, and only while
   * there is no account, to loopback names, `publicUrl` and `cookieDomain`. Default: `["*"]`, any.
   */
  readonly allowedHosts?: AllowedHosts;
  /** Other origins whose pages may post forms here, such as `https://app.example.org`. */
  readonly trustedOrigins?: readonly string[];
  /** Addresses or ranges of proxies whose `X-Forwarded-For` is believed. Default: none. */
  readonly trustedProxies?: readonly string[];
  /** The origin under which browsers reach this place, such as `https://auth.example.org`. */
  readonly publicUrl?: string | undefined;
  /** Shares the session with everything at or below this domain. Default: this host alone. */
  readonly cookieDomain?: string | undefined;
  /** `on` answers reverse proxies at `/forward-auth` and leads back to the page that was asked for. */
  readonly forwardAuth?: "on" | "off";
  /** `shared` counts sign-in attempts in the store, for all instances together. Default: own. */
  readonly limiter?: "own" | "shared";
  /**
   * Sign-in attempts from one IPv6 network of this prefix length count together, from 32 to 128.
   * Default: 128, each address by itself. On the public internet 64 is better: one client has
   * a whole /64.
   */
  readonly limitIpv6Prefix?: number;
  /**
   * Bounds for password hashing. Default: one at a time for each core, three at most; 128 waiting.
   * One user, IPv4 address or IPv6 /64 gets an eighth of the waiting places, at least one.
   */
  readonly hashing?: WorkQueueLimits;
  /** `on` tells the log of what was refused (sign-ins and other forms), with its address. Default: off. */
  readonly logFailures?: "on" | "off";
  /** Where warnings and faults go. Default: the console. */
  readonly log?: ServerLog;
  /** Told of what there is to count, for metrics. Default: nobody. */
  readonly meter?: Meter | undefined;
}

/** The options as they are used: complete, checked, and out of the caller's reach. */
export interface SettledOptions extends Required<AuthOptions> {
  readonly secret: string;
  readonly meter: Meter;
}

/** Three of libuv's four threads: the fourth stays free for signatures, files and names. */
const MOST_HASHES_AT_ONCE = 3;
const MOST_HASHES_WAITING = 128;

export function settleOptions(
  options: AuthOptions,
  environment: Environment = "other",
): SettledOptions {
  const settled: SettledOptions = {
    store: options.store,
    secret: options.secret || DEVELOPMENT_SECRET,
    previousSecrets: Object.freeze([...(options.previousSecrets ?? [])]),
    basePath: options.basePath ?? "",
    postLoginLocation: options.postLoginLocation ?? "/",
    homePath: options.homePath === undefined ? options.basePath || "/" : options.homePath,
    pagesDir: options.pagesDir,
    pages: Object.freeze({ ...options.pages }),
    appName: options.appName ?? "Latchkey",
    accentColor: options.accentColor,
    logoFile: options.logoFile,
    locale: options.locale,
    siteFiles: options.siteFiles ?? "off",
    health: options.health ?? "off",
    logFailures: options.logFailures ?? "off",
    setupToken: options.setupToken ?? noSetupToken,
    setUpDomain: options.setUpDomain,
    allowedHosts: settledHosts(options.allowedHosts),
    trustedOrigins: Object.freeze([
      ...(options.trustedOrigins ?? []),
      ...(options.publicUrl === undefined ? [] : [options.publicUrl]),
    ]),
    trustedProxies: Object.freeze([...(options.trustedProxies ?? [])]),
    publicUrl: options.publicUrl,
    cookieDomain: options.cookieDomain,
    forwardAuth: options.forwardAuth ?? "off",
    limiter: options.limiter ?? "own",
    limitIpv6Prefix: options.limitIpv6Prefix ?? MAX_LIMIT_IPV6_PREFIX,
    hashing: Object.freeze({ ...(options.hashing ?? defaultHashing()) }),
    log: options.log ?? consoleLog,
    meter: options.meter ?? noMeter,
  };
  const problem = optionProblem(settled);
  if (problem !== undefined) throw new Fault("invalid_option", problem);
  const insecure = secretProblem({ ...settled, environment });
  if (insecure !== undefined) throw new Fault("development_secret", insecure);
  warnOfSecrets(settled);
  return Object.freeze(settled);
}

/** Host names in their one spelling; what is not a host stays as it is, to be refused. */
function settledHosts(hosts: AllowedHosts = ["*"]): AllowedHosts {
  if (typeof hosts === "string") return hosts;
  return Object.freeze(hosts.map((host) => canonicalHost(host) ?? host));
}

function warnOfSecrets({ secret, previousSecrets, log }: SettledOptions): void {
  if (secret === DEVELOPMENT_SECRET) {
    log.warn(
      {},
      "AUTH_SECRET is not set: using the built-in development secret, so anyone can forge sessions. Run `latchkey secret` and set AUTH_SECRET.",
    );
    return;
  }
  for (const [name, one] of [
    ["the secret", secret],
    ...previousSecrets.map((previous) => ["a previous secret", previous] as const),
  ] as const) {
    const weakness = secretWeakness(one);
    if (weakness !== undefined) log.warn({}, `${name} can be guessed: ${weakness}`);
  }
}

const noSetupToken: SetupTokenSource = {
  read: async () => undefined,
  delete: async () => {},
};

export function defaultHashing(): WorkQueueLimits {
  return {
    atOnce: Math.min(availableParallelism(), MOST_HASHES_AT_ONCE),
    waiting: MOST_HASHES_WAITING,
  };
}

/** For applications that bring no logger of their own. */
const consoleLog: ServerLog = {
  warn: (fields, message) => console.warn(`latchkey: ${message}`, fields),
  error: (fields, message) => console.error(`latchkey: ${message}`, fields),
};

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

/** What has to hold, and what to say where it does not: the first that fails is told. */
const rules: readonly (readonly [text: string, holds: (options: SettledOptions) => boolean])[] = [
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

export const optionProblem = (options: SettledOptions): string | undefined =>
  rules.find(([, holds]) => !holds(options))?.[0];
