import { locales } from "../../web/pages/words.ts";
import { oneOf, type ValueKind } from "./value-kinds.ts";

/** A setting as people meet it: in the environment, in an env file, or as a flag. */
export interface Setting {
  readonly name: string;
  /** Completes the sentence "NAME takes …". */
  readonly takes: string;
  readonly fallback: string;
  readonly about: string;
  /** `none` for what must not stand in a command line, where every user of the machine can read it. */
  readonly flag: string | "none";
  readonly completes: ValueKind;
}

const setting = (
  name: string,
  takes: string,
  fallback: string,
  about: string,
  completes: ValueKind = kindOf(name),
): Setting => ({
  name,
  takes,
  fallback,
  about,
  flag: name.toLowerCase().replaceAll("_", "-"),
  completes,
});

/** Names are given so that they tell. */
function kindOf(name: string): ValueKind {
  if (/_(FILE|COMMAND)$/.test(name)) return "file";
  return name.endsWith("_DIR") ? "folder" : "free";
}

const choice = (
  name: string,
  choices: readonly string[],
  fallback: string,
  about: string,
): Setting => setting(name, oneOf(choices), fallback, about, choices);

export const onOrOffChoices = ["on", "off"] as const;
export const logLevels = ["debug", "info", "warn", "error"] as const;

export const settings: readonly Setting[] = [
  setting("HOST", "an IP address or a host name", "127.0.0.1", "the address to listen on"),
  setting("PORT", "a number from 0 (any free port) to 65535", "3000", "the port to listen on"),
  setting(
    "ALLOWED_HOSTS",
    "host names without a port, separated by commas, or * for any",
    "any; on loopback, setup only at loopback names",
    "the host names that requests may use; others get 421",
  ),
  setting(
    "HTTPS_PORT",
    "a number from 0 (any free port) to 65535",
    "none",
    "serves HTTPS there; without a certificate of yours it gets one for the domain",
  ),
  setting(
    "TLS_CERT_FILE",
    "a file that can be read",
    "none",
    "your certificate with its chain, in PEM; read again when it changes",
  ),
  setting("TLS_KEY_FILE", "a file that can be read", "none", "the key of TLS_CERT_FILE, in PEM"),
  setting(
    "ACME_DIRECTORY_URL",
    "an https URL",
    "Let's Encrypt",
    "the authority that certificates are asked of",
  ),
  setting(
    "ACME_CA_FILE",
    "a file with certificates in PEM",
    "none",
    "whom to trust, besides the usual ones, when talking to that authority",
  ),
  setting("DATA_DIR", "a folder", "./data", "where data lives; created if missing"),
  setting(
    "DATABASE_URL",
    "a URL such as postgres://user:password@host:5432/database?sslmode=verify-full",
    "unset",
    "the PostgreSQL database; unset is SQLite at DATA_DIR/latchkey.db",
  ),
  setting("DATABASE_URL_FILE", "a file that can be read", "none", "holds DATABASE_URL instead"),
  choice(
    "SHARED_LIMITER",
    onOrOffChoices,
    "off",
    "counts sign-in attempts for all instances together, in PostgreSQL",
  ),
  setting(
    "LIMIT_IPV6_PREFIX",
    "a number from 32 to 128",
    "128",
    "the prefix length of IPv6 networks whose sign-in attempts count together; use 64 on the public internet",
  ),
  setting(
    "LOG_RETENTION",
    "a time such as 400d or 12h",
    "for ever",
    "how long log entries are kept",
  ),
  {
    ...setting(
      "AUTH_SECRET",
      "a long random text",
      "a development secret, with a warning",
      "signs the sessions; must be set where NODE_ENV is production",
    ),
    flag: "none",
  },
  setting("AUTH_SECRET_FILE", "a file that can be read", "none", "holds AUTH_SECRET instead"),
  {
    ...setting(
      "AUTH_SECRET_PREVIOUS",
      "older secrets, separated by commas",
      "none",
      "sessions that these have signed stay valid",
    ),
    flag: "none",
  },
  setting(
    "AUTH_SECRET_PREVIOUS_FILE",
    "a file that can be read",
    "none",
    "holds AUTH_SECRET_PREVIOUS instead, one secret a line",
  ),
  setting(
    "SETUP_TOKEN_FILE",
    "a file",
    "DATA_DIR/setup-token",
    "holds the token that setup asks for; no file, no question",
  ),
  setting(
    "POST_LOGIN_LOCATION",
    "a path such as / or an absolute http or https URL",
    "/",
    "where setup and sign-in lead",
  ),
  setting(
    "DOMAIN_SETUP_COMMAND",
    "one program that can be run, without arguments",
    "none",
    "run with the domain from the setup form as its one argument",
  ),
  setting(
    "APP_NAME",
    "a name of 60 characters at most",
    "Latchkey",
    "what the pages call this place",
  ),
  setting(
    "ACCENT_COLOR",
    "a colour such as #1a5fb4",
    "#1a5fb4",
    "the colour of buttons and links, kept readable whichever it is",
  ),
  setting(
    "LOGO_FILE",
    "an SVG, PNG, JPEG, WebP, AVIF or GIF file of 512 KiB at most",
    "a key",
    "stands above the heading of each page",
  ),
  choice("LOCALE", locales, "the reader's", "the one language of all pages"),
  setting("PAGES_DIR", "an existing folder", "none", "templates that replace pages"),
  setting(
    "TRUSTED_PROXIES",
    "IP addresses or ranges such as 10.0.0.0/8, separated by commas",
    "none",
    "proxies whose X-Forwarded-For is believed",
  ),
  setting(
    "PUBLIC_URL",
    "an origin such as https://auth.example.org, without a path",
    "none",
    "where browsers reach the gate, for reverse proxies on other hosts",
  ),
  setting(
    "COOKIE_DOMAIN",
    "a domain such as example.org",
    "none",
    "shares the session with every host at or below it",
  ),
  choice(
    "LOG_FAILED_SIGNINS",
    onOrOffChoices,
    "off",
    "tells the server log of sign-ins, password changes, setups and forms that were refused, with the address, as for fail2ban",
  ),
  choice("LOG_LEVEL", logLevels, "info", "what the server log tells"),
  setting(
    "METRICS_PORT",
    "a number from 0 (any free port) to 65535",
    "none",
    "serves Prometheus metrics there, at /metrics",
  ),
  setting(
    "METRICS_HOST",
    "an IP address or a host name",
    "127.0.0.1",
    "the address to serve metrics on",
  ),
];

export function settingNamed(name: string): Setting {
  const found = settings.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} is not in the table of settings`);
  return found;
}
