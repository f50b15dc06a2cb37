import { DEFAULT_PATTERNS } from "../../audit/event-patterns.ts";
import { optionTable } from "../../options.ts";
import { DEFAULT_ACCENT } from "../../pages/accent-color.ts";
import { locales } from "../../pages/words.ts";
import { type Entry, listSettings, type NamedEntry, type Setting } from "./entry.ts";
import * as values from "./values.ts";

const { hosts, pages, postLoginLocation, signIn } = optionTable;

/** The levels are in order, from the least to the most important. */
export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Contains every setting of the gate once. The types of the values, the flags, the help, the
 * defaults and docs/reference/settings.md come from here. A setting without a default can be
 * `undefined`.
 */
const table = {
  host: {
    heading: "Addresses",
    value: values.hostName,
    default: "127.0.0.1",
    about: "address to listen on",
  },
  port: {
    value: values.port,
    default: "3000",
    about: "port to listen on",
  },
  allowedHosts: {
    value: values.hostList,
    unset: "any; on loopback, setup only at loopback names",
    about: "host names that requests may use; others get 421",
  },

  httpsPort: {
    heading: "HTTPS",
    value: values.port,
    about: "port for HTTPS; without TLS_CERT_FILE the gate gets a certificate for the domain",
  },
  tlsCertFile: {
    value: values.readableFile,
    about: "your certificate with its chain, in PEM; read again when it changes",
  },
  tlsKeyFile: {
    value: values.readableFile,
    about: "the key of TLS_CERT_FILE, in PEM",
  },
  acmeDirectoryUrl: {
    value: values.httpsUrl,
    unset: "Let's Encrypt",
    about: "certificate authority to request certificates from",
  },
  acmeCa: {
    name: "ACME_CA_FILE",
    value: values.certificates,
    about: "certificates to trust, besides the usual ones, when connecting to that authority",
  },

  dataDir: {
    heading: "Data",
    value: values.newFolder,
    default: "./data",
    about: "folder for all data; created if missing",
  },
  database: {
    name: "DATABASE_URL",
    value: values.databaseLocation,
    secret: true,
    unset: "sqlite:DATA_DIR/latchkey.db",
    about: "SQLite file or PostgreSQL database for accounts and audit log",
  },
  logRetentionMs: {
    name: "LOG_RETENTION",
    value: values.age,
    unset: "forever",
    about: "how long log entries are stored",
  },

  secret: {
    heading: "Secrets",
    name: "AUTH_SECRET",
    value: values.secret,
    flag: "none",
    secret: true,
    unset: "on loopback, a development secret with a warning",
    about:
      "signs the sessions; required when others can reach the gate, or NODE_ENV is production. auto: made when it is first needed, in DATA_DIR/auth-secret",
  },
  previousSecrets: {
    name: "AUTH_SECRET_PREVIOUS",
    value: values.secretList,
    flag: "none",
    secret: true,
    default: "",
    about: "older secrets, whose sessions stay valid",
  },

  sessionLifetimeMs: {
    heading: "Sign-in and setup",
    name: "SESSION_LIFETIME",
    value: values.age,
    default: "30d",
    about: "how long a session lasts from its sign-in, used or not",
  },
  requireSecondFactor: {
    value: values.groupList,
    default: "",
    about: "groups whose members, or all who, need one-time codes or a passkey to open anything",
  },
  rememberDevice: {
    value: values.fromWords({ "30d": true, off: false }),
    default: "30d",
    about: "offers to ask for no one-time code on this device for 30 days",
  },
  setupTokenFile: {
    value: values.newFile,
    unset: "DATA_DIR/setup-token",
    about: "contains your own token for the setup; it is deleted after the setup",
  },
  setupTokenAtStart: {
    name: "SETUP_TOKEN",
    value: values.setupToken,
    default: "auto",
    about:
      "auto: a gate that others can reach requires a token, and makes one at the start if there is no account",
  },
  postLoginLocation: {
    value: values.fromOption(postLoginLocation),
    default: "/",
    about: "where setup and sign-in redirect to",
  },
  domainSetupCommand: {
    value: values.program,
    about: "program that runs with the domain from the setup form as its only argument",
  },
  limiter: {
    name: "SHARED_LIMITER",
    value: values.fromWords({ on: "shared", off: "own" }),
    default: "off",
    about: "counts sign-in attempts for all instances together, in PostgreSQL",
  },
  limitIpv6Prefix: {
    value: values.ipv6Prefix,
    default: String(signIn.limitIpv6Prefix.default),
    about:
      "prefix length of IPv6 networks whose sign-in attempts count together; use 64 on the public internet",
  },

  signInWith: {
    value: values.providerNames,
    default: "",
    about:
      "providers such as google,github whose accounts people can sign in with; each has settings of its own, such as GOOGLE_CLIENT_ID",
  },
  signInFirst: {
    value: values.providerName,
    about: "provider to which the sign-in page leads at once; /login?with=none shows the page",
  },
  signUp: {
    value: values.fromChoices(["off", "approval", "open"]),
    default: "off",
    about: "lets people register: all of them, or those whom an administrator approves",
  },
  signUpDomains: {
    value: values.emailDomains,
    default: "",
    about: "only people with addresses at these domains can register",
  },

  trustedProxies: {
    heading: "Reverse proxies",
    value: values.fromListOption(hosts.trustedProxies),
    default: "",
    about: "proxies whose X-Forwarded-For is trusted",
  },
  publicUrl: {
    value: values.fromOption(hosts.publicUrl, values.removeSlash),
    about: "where browsers reach the gate, for reverse proxies on other hosts",
  },
  cookieDomain: {
    value: values.cookieDomain,
    about: "shares the session with every host at or below it",
  },
  returnDomains: {
    value: values.domainList,
    default: "",
    about: "other domains, whose apps get their sessions from the sign-in at PUBLIC_URL",
  },
  trustedOrigins: {
    value: values.fromListOption(hosts.trustedOrigins, values.removeSlash),
    default: "",
    about: "apps on other hosts whose sign-out buttons the gate accepts; no other form of theirs",
  },
  apps: {
    value: values.fromChoices(["any", "only"]),
    default: "any",
    about: "only: /forward-auth refuses hosts that are not the host of an app",
  },
  assertions: {
    value: values.fromChoices(["on", "off"]),
    default: "off",
    about: "tells apps who asks in a signed header, Latchkey-Assertion",
  },

  smtpUrl: {
    heading: "Mail",
    value: values.smtpUrl,
    flag: "none",
    secret: true,
    about: "mail server for links and notices to people; without it the gate sends no mail",
  },
  mailFrom: {
    value: values.mailFrom,
    unset: "the user of SMTP_URL, if it is an address",
    about: "sender of the mail, such as Home <home@example.org>",
  },

  notifyUrl: {
    heading: "Notices to the operator",
    value: values.notifyUrl,
    flag: "none",
    secret: true,
    about: "webhook or topic of ntfy that is told about events of the audit log",
  },
  notifySecret: {
    value: values.notifySecret,
    flag: "none",
    secret: true,
    about: "signs what a webhook gets, which requires it; or an access token of ntfy",
  },
  notifyEvents: {
    value: values.eventList,
    default: DEFAULT_PATTERNS,
    about: "events to tell about; * is any text, and signin_refused all that refuse a sign-in",
  },

  appName: {
    heading: "Pages",
    value: values.fromOption(pages.appName),
    default: pages.appName.default,
    about: "name of the app on all pages",
  },
  accentColor: {
    value: values.fromOption(pages.accentColor),
    unset: DEFAULT_ACCENT,
    about: "color of buttons, and of links, adjusted for contrast",
  },
  logoFile: {
    value: values.image,
    unset: "a key",
    about: "image above the heading of each page",
  },
  logoFileDark: {
    value: values.image,
    unset: "LOGO_FILE",
    about: "image in its place where the browser prefers a dark scheme",
  },
  locale: {
    value: values.fromChoices(locales),
    unset: "the browser's",
    about: "language of all pages",
  },
  customCss: {
    value: values.styleSheet,
    about: "style sheet that every page loads after the built-in one",
  },

  logLevel: {
    heading: "Logs and metrics",
    value: values.fromChoices(logLevels),
    default: "info",
    about: "lowest level that the server log contains",
  },
  metricsPort: {
    value: values.port,
    about: "port for Prometheus metrics, at /metrics",
  },
  metricsHost: {
    value: values.hostName,
    default: "127.0.0.1",
    about: "address to serve metrics on",
  },
} satisfies Readonly<Record<string, Entry>>;

export type SettingsTable = typeof table;

/** Code that treats all entries alike uses this type. */
const byField: Readonly<Record<keyof SettingsTable, Entry>> = table;

/** Returns the name that users know a field by, such as `DATA_DIR`. */
export const getSettingName = (field: keyof SettingsTable): string =>
  byField[field].name ?? field.replace(/[A-Z]/g, "_$&").toUpperCase();

/** Lists the entries with their fields, in the order of the table. */
export const entries: readonly (readonly [field: string, entry: NamedEntry])[] = Object.entries(
  byField,
).map(([field, entry]) => [
  field,
  { ...entry, name: getSettingName(field as keyof SettingsTable) },
]);

export const settings: readonly Setting[] = listSettings(entries.map(([, entry]) => entry));

/** Lists the secret settings. Programs that the gate runs do not receive them. */
export const secretNames: readonly string[] = entries
  .filter(([, { secret }]) => secret === true)
  .map(([, { name }]) => name);
