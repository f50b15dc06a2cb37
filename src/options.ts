import { availableParallelism } from "node:os";
import type { EventListener } from "./audit/event-listener.ts";
import type { Store } from "./db/store.ts";
import type { CreateOidcPages } from "./features/context.ts";
import type { SetupTokenSource } from "./features/setup/setup-token.ts";
import type { SignUpPolicy } from "./features/sign-up/sign-up.ts";
import { MAX_CSS_BYTES } from "./http/assets.ts";
import {
  isCookieDomain,
  isLocation,
  type PostLoginLocation,
  parseOrigin,
} from "./http/location.ts";
import { isAddressRange } from "./http/remote-address.ts";
import { isProvider, type Provider } from "./identity/providers.ts";
import { SESSION_LIFETIME_SECONDS } from "./identity/session-token.ts";
import type { AllowedHosts } from "./lib/allowed-hosts.ts";
import type { BoundedLog } from "./lib/bounded-log.ts";
import { normalizeHost } from "./lib/host-name.ts";
import { isObject } from "./lib/json.ts";
import { type Meter, noMeter } from "./lib/meter.ts";
import { defineChoice, defineOption, defineRequired, type Option } from "./lib/options.ts";
import type { ServerLog } from "./lib/server-log.ts";
import type { WorkQueueLimits } from "./lib/work-queue.ts";
import type { NotifyTarget } from "./mail/notify-target.ts";
import { parseMailFrom, parseSmtpUrl } from "./mail/smtp.ts";
import { isColor } from "./pages/accent-color.ts";
import type { PageFunction, PageFunctions, PageName } from "./pages/page-data.ts";
import { isLocale, type Locale, locales } from "./pages/words.ts";

/** Defines a row for each option: its default, what it accepts, and its check. */
type OptionRows<Options> = {
  readonly [K in keyof Options]-?: Option<Options[K] | Exclude<Options[K], undefined>>;
};

/** Derives the type of a settled option from its row. */
type Settled<Rows> = {
  readonly [K in keyof Rows]: Rows[K] extends Option<infer T> ? T : Settled<Rows[K]>;
};

const MAX_APP_NAME = 60;
/** With a shorter prefix, one client could block the sign-in for all customers of a provider. */
const MIN_LIMIT_IPV6_PREFIX = 32;
/** With this prefix length, each IPv6 address counts separately. */
export const MAX_LIMIT_IPV6_PREFIX = 128;
/**
 * Hashes use three of libuv's four threads. The fourth thread stays free for files and host names.
 */
const MAX_HASHES_AT_ONCE = 3;
const MAX_HASHES_WAITING = 128;

const noSetupToken: SetupTokenSource = { read: async () => undefined, delete: async () => {} };

/** Apps that pass no logger use this log. */
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

/** Creates an option for an object that has the functions of its default. */
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

/** Accepts a path. The file is checked when it is read. */
const pathOption = createTextOption("a path", (text) => typeof text === "string");

/** Sets the addresses of Latchkey and of the hosts that it trusts. */
export interface HostOptions {
  /**
   * Lists the host names that requests for Latchkey's paths may use, without ports; others get 421.
   * `loopback-setup`, for an app that listens on loopback, restricts only the setup while no
   * account exists, to loopback names, `publicUrl` and `cookieDomain`. Default: `["*"]`, any host.
   */
  readonly allowed?: AllowedHosts | undefined;
  /** Sets the origin that browsers use to reach Latchkey, such as `https://auth.example.org`. */
  readonly publicUrl?: string | undefined;
  /** Shares the session with every host at or below this domain. Default: only this host. */
  readonly cookieDomain?: string | undefined;
  /** Lists other origins whose pages may post the sign-out, such as `https://app.example.org`. */
  readonly trustedOrigins?: readonly string[] | undefined;
  /** Lists addresses or ranges of proxies whose `X-Forwarded-For` is trusted. Default: none. */
  readonly trustedProxies?: readonly string[] | undefined;
}

const hostOptions = {
  allowed: defineOption<AllowedHosts>(
    ["*"],
    "loopback-setup, or a list of host names without a port, or of * for any",
    (hosts) => hosts === "loopback-setup" || isHostList(hosts),
    // An invalid name stays unchanged, so that the check refuses it.
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
} satisfies OptionRows<HostOptions>;

/** Sets how guards respond to requests without a session. */
export interface GuardOptions {
  /** Adds the requested page to the redirect, so that the sign-in returns to it. Default: false. */
  readonly returnTo?: boolean | undefined;
  /**
   * Chooses the response for requests that do not ask for a page, such as those of scripts.
   * `negotiate` sends 401 and JSON; `redirect` redirects all requests to the sign-in. Default:
   * `redirect`.
   */
  readonly onDenied?: "redirect" | "negotiate" | undefined;
  /**
   * Makes guards also admit programs with an API key, as a Bearer token or as the Basic password.
   * Default: false.
   */
  readonly keys?: boolean | undefined;
}

const guardOptions = {
  returnTo: createFlagOption(false),
  onDenied: defineChoice("redirect", "negotiate"),
  keys: createFlagOption(false),
} satisfies OptionRows<GuardOptions>;

/** Sets how users sign in, and the limits of the sign-in. */
export interface SignInOptions {
  /** Offers passkeys. Default: true. */
  readonly passkeys?: boolean | undefined;
  /**
   * Offers one-time codes (TOTP) in the account. Default: true. With `false`, accounts that
   * already use codes still need a code to sign in.
   */
  readonly codes?: boolean | undefined;
  /**
   * Offers to remember a device, which then needs no code for 30 days. Default: true. With `false`,
   * devices that are already remembered need a code.
   */
  readonly rememberDevice?: boolean | undefined;
  /**
   * Sets where sign-in attempts are counted. `shared` counts them in the store, for all instances
   * together. Default: `own`.
   */
  readonly limiter?: "own" | "shared" | undefined;
  /**
   * Counts the sign-in attempts of one IPv6 network of this prefix length together, from 32 to 128.
   * Default: 128, each address separately. On the public internet, 64 is better, because one client
   * has a whole /64.
   */
  readonly limitIpv6Prefix?: number | undefined;
  /**
   * Lets people sign in with their accounts at these providers: `google`, `microsoft`, `apple`,
   * `github` and `oidc` of `latchkey/providers`. Needs `hosts.publicUrl`. Default: none.
   */
  readonly with?: readonly Provider[] | undefined;
  /**
   * Names the provider to which the sign-in page leads at once. `/login?with=none` shows the page.
   * Default: none.
   */
  readonly first?: string | undefined;
  /**
   * Lets people register: `open`, or with `approval` of an administrator. `domains` admits only
   * addresses at these domains. Needs `mail` or `signIn.with`. Default: `{ mode: "off" }`.
   */
  readonly signUp?: SignUpPolicy | undefined;
  /**
   * Limits password hashing. By default, one hash runs per core, at most three, and 128 wait. One
   * user, IPv4 address or IPv6 /64 gets an eighth of the waiting places, at least one.
   */
  readonly hashing?: WorkQueueLimits | undefined;
}

const signInOptions = {
  passkeys: createFlagOption(true),
  codes: createFlagOption(true),
  rememberDevice: createFlagOption(true),
  limiter: defineChoice("own", "shared"),
  limitIpv6Prefix: defineOption<number>(
    MAX_LIMIT_IPV6_PREFIX,
    `a whole number from ${MIN_LIMIT_IPV6_PREFIX} to ${MAX_LIMIT_IPV6_PREFIX}`,
    isIpv6Prefix,
  ),
  with: defineOption<readonly Provider[]>(
    [],
    "a list of providers of latchkey/providers, each with a name of its own",
    (providers) =>
      Array.isArray(providers) &&
      providers.every(isProvider) &&
      new Set(providers.map(({ name }) => name)).size === providers.length,
  ),
  first: defineOption<string | undefined>(
    undefined,
    "the name of a provider in signIn.with",
    (name) => typeof name === "string",
  ),
  signUp: defineOption<SignUpPolicy>(
    { mode: "off", domains: [] },
    "an object with mode (off, approval or open) and domains such as example.org",
    ({ mode, domains = [], ...others }) =>
      ["off", "approval", "open"].includes(mode) &&
      domains.every((domain) => normalizeHost(domain) === domain && domain !== "*") &&
      Object.keys(others).length === 0,
    ({ mode, domains, ...others }) =>
      Object.freeze({ ...others, mode, domains: Object.freeze([...(domains ?? [])]) }),
  ),
  hashing: defineOption<WorkQueueLimits>(
    { atOnce: Math.min(availableParallelism(), MAX_HASHES_AT_ONCE), waiting: MAX_HASHES_WAITING },
    "atOnce of 1 or more and waiting of 0 or more",
    ({ atOnce, waiting }) => atOnce >= 1 && waiting >= 0,
    freezeCopy,
  ),
} satisfies OptionRows<SignInOptions>;

/** Sets how sessions of users work. */
export interface SessionOptions {
  /** Records sessions, so that users can see and end their own sessions. Default: true. */
  readonly list?: boolean | undefined;
  /**
   * Sets the lifetime in seconds from the sign-in. Using a session does not extend it. Default: 30
   * days.
   */
  readonly lifetime?: number | undefined;
}

const sessionOptions = {
  list: createFlagOption(true),
  lifetime: defineOption<number>(
    SESSION_LIFETIME_SECONDS,
    "a whole number of seconds from 60 to 100000000000",
    (seconds) => Number.isInteger(seconds) && seconds >= 60 && seconds <= 100_000_000_000,
  ),
} satisfies OptionRows<SessionOptions>;

/** Sets how the pages look. */
export interface PageOptions extends PageFunctions {
  /** Sets the name of the app on all pages. Default: `Latchkey`. */
  readonly appName?: string | undefined;
  /**
   * Sets the colour of buttons, such as `#1a5fb4`, and of links. Latchkey adjusts it for contrast.
   */
  readonly accentColor?: string | undefined;
  /** Sets an image above the heading of each page. Default: a key. */
  readonly logoFile?: string | undefined;
  /** Replaces `logoFile` where the browser prefers a dark scheme. */
  readonly logoFileDark?: string | undefined;
  /** Sets the language of all pages. Default: the available language that the browser prefers. */
  readonly locale?: Locale | undefined;
  /**
   * Contains CSS that every page loads after Latchkey's own style sheet, at most 64 KiB. Default:
   * none.
   */
  readonly css?: string | undefined;
}

const pageOptions = {
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
  signUp: pageFunction(),
  leadOn: pageFunction(),
  codeStep: pageFunction(),
  forgot: pageFunction(),
  link: pageFunction(),
  launcher: pageFunction(),
  profile: pageFunction(),
  signInMethods: pageFunction(),
  devices: pageFunction(),
  access: pageFunction(),
  keys: pageFunction(),
  history: pageFunction(),
  people: pageFunction(),
  person: pageFunction(),
  links: pageFunction(),
  apps: pageFunction(),
  newApp: pageFunction(),
  app: pageFunction(),
  activity: pageFunction(),
  error: pageFunction(),
  consent: pageFunction(),
  device: pageFunction(),
  signOut: pageFunction(),
} satisfies OptionRows<PageOptions>;

/** Makes an app a provider of OpenID Connect. `latchkey/oidc` exports the only value. */
export interface OidcSupport {
  /** @internal */
  readonly createPages: CreateOidcPages;
}

/** Sets how Latchkey sends mail. */
export interface MailOptions {
  /**
   * Sets the mail server: `smtps://user:password@host:465`, or `smtp://…:587`, which must offer
   * STARTTLS unless it is on this machine. `smtp+insecure://` accepts any certificate, or none.
   */
  readonly url: string;
  /** Sets the sender, such as `Home <home@example.org>`. */
  readonly from: string;
}

/** Contains the options of `createAuth`. Only `store` and `secret` are required. */
export interface AuthOptions {
  /** Stores accounts and log entries. The caller must close the store after the Auth object. */
  readonly store: Store;
  /**
   * Signs the session tokens. Use at least 32 random characters, the same on every instance. If it
   * is `undefined` or empty, Latchkey uses the built-in development secret and logs a warning; in
   * production `createAuth` throws.
   */
  readonly secret: string | undefined;
  /**
   * Lists older secrets. Their sessions stay valid while a new secret is introduced. Default: none.
   */
  readonly previousSecrets?: readonly string[] | undefined;
  /** Sets the prefix of every path that Latchkey serves, such as `/auth`. Default: none. */
  readonly basePath?: string | undefined;
  /**
   * Sets the path that leads on to the pages of the account; `null` removes these pages. Default: the
   * base path, or `/`.
   */
  readonly homePath?: string | null | undefined;
  /**
   * Sets where setup and sign-in redirect: a path, an absolute URL, or a function. Default: `/`.
   */
  readonly postLoginLocation?: PostLoginLocation | undefined;
  /**
   * Provides the one-time token that setup requires. Default: none; the first client to reach setup
   * wins.
   */
  readonly setupToken?: SetupTokenSource | undefined;
  /**
   * Receives the domain from the setup form, in the background, after the first account is made.
   * The field exists only with this option. A failure is only logged. The domain is any text that
   * has a dot and no spaces, `/`, `\\` or `@`: check it before use. Default: none.
   */
  readonly setUpDomain?: ((domain: string) => Promise<void>) | undefined;
  /**
   * Receives warnings, errors, and refused requests with their address. Each address and each
   * message get at most ten lines a minute, followed by a summary line. Default: the console.
   */
  readonly log?: ServerLog | undefined;
  /**
   * Runs after each entry of the audit log, for notifications. It never delays or changes a
   * response.
   */
  readonly onEvent?: EventListener | undefined;
  /**
   * Serves pages below `/account/people` where members of the group `admins` manage accounts.
   * Default: false.
   */
  readonly people?: boolean | undefined;
  /**
   * Answers JSON at `/api/sign-in`, `/api/sign-out`, `/api/password` and `/api/session`, and at
   * `/api/sign-up` if people can register by mail, for an app's own forms, such as with
   * `latchkey/client`. Default: false.
   */
  readonly api?: boolean | undefined;
  /**
   * Signs people in to apps that speak OpenID Connect: pass `oidc` of `latchkey/oidc`. Needs
   * `hosts.publicUrl`. Default: none.
   */
  readonly oidc?: OidcSupport | undefined;
  /**
   * Sends mail: links for forgotten passwords, confirmations of addresses, and notices. Needs
   * `hosts.publicUrl`, with which the links begin. Default: no mail.
   */
  readonly mail?: MailOptions | undefined;
  /** Sets the addresses of Latchkey and of the hosts that it trusts. */
  readonly hosts?: HostOptions | undefined;
  /** Sets how guards respond to requests without a session. */
  readonly guards?: GuardOptions | undefined;
  /** Sets how users sign in, and the limits of the sign-in. */
  readonly signIn?: SignInOptions | undefined;
  /** Sets how sessions of users work. */
  readonly sessions?: SessionOptions | undefined;
  /** Sets how the pages look. */
  readonly pages?: PageOptions | undefined;
}

/** Contains every option with its default and its check. The gate's settings use the checks too. */
export const optionTable = {
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
  // Only this check reports an unusable log, because later failures of the log are ignored.
  log: createFunctionsOption(consoleLog),
  onEvent: defineOption<EventListener | undefined>(
    undefined,
    "a function",
    (listener) => typeof listener === "function",
  ),
  people: createFlagOption(false),
  api: createFlagOption(false),
  oidc: defineOption<OidcSupport | undefined>(
    undefined,
    "the value oidc of latchkey/oidc",
    (support) => isObject(support) && typeof support.createPages === "function",
  ),
  mail: defineOption<MailOptions | undefined>(
    undefined,
    "an object with the url of a mail server, such as smtps://user:password@mail.example.org:465, and from, such as home@example.org",
    ({ url, from, ...others }) =>
      parseSmtpUrl(url) !== undefined &&
      parseMailFrom(from) !== undefined &&
      Object.keys(others).length === 0,
    freezeCopy,
  ),
  hosts: hostOptions,
  guards: guardOptions,
  signIn: signInOptions,
  sessions: sessionOptions,
  pages: pageOptions,
};

/** Contains the options after `settleOptions`: complete, checked, copied and frozen. */
export interface SettledOptions extends Omit<Settled<typeof optionTable>, "secret" | "log"> {
  readonly secret: string;
  /** Limits the number of lines. Only this log writes to `log` of the options. */
  readonly log: BoundedLog;
}

/**
 * Contains what the gate adds to the options. An app has its own site, health checks and metrics.
 */
export interface GateOptions {
  /**
   * Serves `/healthz`, `/readyz`, `/forward-auth` and the files of a site such as `/robots.txt`.
   */
  readonly standalone: boolean;
  /** Lists other domains. Their hosts get sessions from this sign-in. */
  readonly returnDomains: readonly string[];
  readonly meter: Meter;
  /** Lists the groups that need a second factor, or `all`. */
  readonly requireSecondFactor: readonly string[];
  /** If `on`, positive responses of `/forward-auth` contain a signed assertion for the app. */
  readonly assertions: "on" | "off";
  /** With `only`, `/forward-auth` refuses hosts that are not the host of an app. */
  readonly apps: "any" | "only";
  /** Tells the operator what happens. */
  readonly notify: NotifyOptions | undefined;
}

/** Says where the operator is told what happens, and about which events of the audit log. */
export interface NotifyOptions {
  readonly target: NotifyTarget;
  readonly events: readonly string[];
}

export const NO_GATE: GateOptions = {
  standalone: false,
  meter: noMeter,
  returnDomains: [],
  requireSecondFactor: [],
  assertions: "off",
  apps: "any",
  notify: undefined,
};
