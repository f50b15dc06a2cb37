/** A setting as people meet it: in the environment, in an env file, or as a flag. */
export interface Setting {
  readonly name: string;
  /** Completes the sentence "NAME takes …". */
  readonly takes: string;
  readonly fallback: string;
  readonly about: string;
  /** `none` for what must not stand in a command line, where every user of the machine can read it. */
  readonly flag: string | "none";
}

const setting = (name: string, takes: string, fallback: string, about: string): Setting => ({
  name,
  takes,
  fallback,
  about,
  flag: name.toLowerCase().replaceAll("_", "-"),
});

export const settings: readonly Setting[] = [
  setting("HOST", "an IP address or a host name", "127.0.0.1", "the address to listen on"),
  setting("PORT", "a number from 0 (any free port) to 65535", "3000", "the port to listen on"),
  setting("DATA_DIR", "a folder", "./data", "where data lives; created if missing"),
  setting(
    "DATABASE_URL",
    "a URL such as postgres://user:password@host:5432/database?sslmode=verify-full",
    "unset",
    "the PostgreSQL database; unset is SQLite at DATA_DIR/latchkey.db",
  ),
  setting("DATABASE_URL_FILE", "a file that can be read", "none", "holds DATABASE_URL instead"),
  setting(
    "SHARED_LIMITER",
    "on or off",
    "off",
    "counts sign-in attempts for all instances together, in PostgreSQL",
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
  setting("LOCALE", "en, de, fr or es", "the reader's", "the one language of all pages"),
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
  setting(
    "LOG_FAILED_SIGNINS",
    "on or off",
    "off",
    "tells the server log of failed and denied sign-ins with their address, as for fail2ban",
  ),
  setting("LOG_LEVEL", "debug, info, warn or error", "info", "what the server log tells"),
];

export function settingNamed(name: string): Setting {
  const found = settings.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} is not in the table of settings`);
  return found;
}

/** Short names are one letter away from too many others to guess what was meant. */
const SHORTEST_GUESSED = 7;
const MOST_SLIPS = 2;

/** What looks like a setting and is none: surely ours (`LATCHKEY_…`), or perhaps one misspelt. */
export function unknownNames(names: readonly string[]): {
  readonly unknown: readonly string[];
  readonly warnings: readonly string[];
} {
  const unknown: string[] = [];
  const warnings: string[] = [];
  // A Kubernetes service named latchkey puts variables of this form into every container.
  const linked = names.includes("LATCHKEY_SERVICE_HOST");
  for (const name of new Set(names)) {
    if (linked && /^LATCHKEY_(SERVICE|PORT)(_|$)/.test(name)) continue;
    const meant = nearest(name.replace(/^LATCHKEY_/, ""));
    if (name.startsWith("LATCHKEY_")) {
      unknown.push(
        `${name} is not a setting${meant === undefined ? "" : `: it is called ${meant}`}`,
      );
    } else if (meant !== undefined && meant !== name && name.length >= SHORTEST_GUESSED) {
      warnings.push(`${name} is not a setting: was ${meant} meant?`);
    }
  }
  return { unknown, warnings };
}

function nearest(name: string): string | undefined {
  const known = settings.map((one) => one.name);
  if (known.includes(name)) return name;
  return known.find((one) => one.length >= SHORTEST_GUESSED && slips(one, name) <= MOST_SLIPS);
}

/** How many letters have to be put in, left out or exchanged to get from one text to the other. */
export function slips(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const exchanged = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(exchanged, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
