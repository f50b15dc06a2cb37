import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { messageOf } from "../core/fault.ts";
import { isCookieDomain, isLocation, originOf, sharesCookies } from "../web/location.ts";
import { membershipOf } from "../web/remote-address.ts";
import { settingNamed, unknownNames } from "./setting-names.ts";

export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly databaseFile: string;
  /** `undefined` stands for the development secret. */
  readonly secret: string | undefined;
  readonly setupTokenFile: string;
  readonly postLoginLocation: string;
  readonly domainSetupCommand: string | undefined;
  /** What programs that the gate runs get to see: not the secrets. */
  readonly programEnvironment: Readonly<Record<string, string | undefined>>;
  readonly pagesDir: string | undefined;
  readonly trustedProxies: readonly string[];
  readonly publicUrl: string | undefined;
  readonly cookieDomain: string | undefined;
  readonly logLevel: string;
  readonly environment: "production" | "other";
}

export type SettingsReading =
  | { readonly kind: "settings"; readonly settings: Settings; readonly warnings: readonly string[] }
  | { readonly kind: "wrong"; readonly problems: readonly string[] };

export interface SettingsSources {
  /** By setting name: `PORT`, not `--port`. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly envFile: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The only place that looks at the environment. A flag wins over it, and it over the file. */
export function readSettings(sources: SettingsSources): SettingsReading {
  const { flags, envFile, env = process.env } = sources;
  const problems: string[] = [];
  const file = readEnvFile(envFile, problems);
  const { unknown, warnings } = unknownNames([...Object.keys(env), ...Object.keys(file)]);
  problems.push(...unknown);

  // An empty value is what a compose file passes on for a variable that is not set.
  const text = (name: string): string | undefined =>
    flags[name] || env[name] || file[name] || undefined;

  const value = <T>(name: string, parse: (text: string) => T | undefined): T | undefined => {
    const given = text(name);
    if (given === undefined) return undefined;
    const parsed = parse(given);
    if (parsed === undefined) problems.push(`${name} takes ${settingNamed(name).takes}`);
    return parsed;
  };

  const dataDir = resolve(text("DATA_DIR") ?? "./data");
  const settings: Settings = {
    host: value("HOST", hostName) ?? "127.0.0.1",
    port: value("PORT", portNumber) ?? 3000,
    dataDir,
    databaseFile: join(dataDir, "latchkey.db"),
    secret: text("AUTH_SECRET"),
    setupTokenFile: resolve(text("SETUP_TOKEN_FILE") ?? join(dataDir, "setup-token")),
    postLoginLocation:
      value("POST_LOGIN_LOCATION", (given) => (isLocation(given) ? given : undefined)) ?? "/",
    domainSetupCommand: value("DOMAIN_SETUP_COMMAND", (given) => program(given, env.PATH ?? "")),
    pagesDir: value("PAGES_DIR", folder),
    trustedProxies: value("TRUSTED_PROXIES", addressRanges) ?? [],
    publicUrl: value("PUBLIC_URL", publicOrigin),
    cookieDomain: value("COOKIE_DOMAIN", (given) => (isCookieDomain(given) ? given : undefined)),
    logLevel: value("LOG_LEVEL", logLevel) ?? "info",
    programEnvironment: { ...env, AUTH_SECRET: undefined, DATABASE_URL: undefined },
    environment: text("NODE_ENV") === "production" ? "production" : "other",
  };
  value("DATABASE_URL", () => undefined);
  const { publicUrl, cookieDomain } = settings;
  if (
    publicUrl !== undefined &&
    cookieDomain !== undefined &&
    !sharesCookies(publicUrl, cookieDomain)
  ) {
    problems.push(
      "PUBLIC_URL takes an origin at or below COOKIE_DOMAIN, or browsers drop the cookie",
    );
  }

  return problems.length > 0
    ? { kind: "wrong", problems }
    : { kind: "settings", settings: Object.freeze(settings), warnings };
}

/** In production, sessions that everybody can forge are no sessions: serving is refused. */
export function secretProblem({
  secret,
  environment,
}: Pick<Settings, "secret" | "environment">): string | undefined {
  return secret === undefined && environment === "production"
    ? "AUTH_SECRET has to be set where NODE_ENV is production: 32 random bytes or more"
    : undefined;
}

function readEnvFile(path: string | undefined, problems: string[]): Record<string, string> {
  if (path === undefined) return {};
  try {
    const parsed = parseEnv(readFileSync(path, "utf8"));
    return Object.fromEntries(Object.entries(parsed).map(([name, text]) => [name, text ?? ""]));
  } catch (error) {
    problems.push(`--env-file cannot be read: ${messageOf(error)}`);
    return {};
  }
}

function hostName(text: string): string | undefined {
  return isIP(text) !== 0 || /^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(text) ? text : undefined;
}

function portNumber(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
}

function folder(text: string): string | undefined {
  const path = resolve(text);
  try {
    return statSync(path).isDirectory() ? path : undefined;
  } catch {
    return undefined;
  }
}

/** A path, or a name to be found as a shell would find it. */
function program(text: string, searchPath: string): string | undefined {
  const candidates =
    isAbsolute(text) || text.includes("/")
      ? [resolve(text)]
      : searchPath.split(delimiter).map((place) => join(place, text));
  return candidates.find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function addressRanges(text: string): readonly string[] | undefined {
  const ranges = text.split(",").map((range) => range.trim());
  try {
    membershipOf(ranges);
    return ranges;
  } catch {
    return undefined;
  }
}

/** A slash at the end is how people write it. */
function publicOrigin(text: string): string | undefined {
  const origin = text.replace(/\/$/, "");
  return originOf(origin) === origin ? origin : undefined;
}

function logLevel(text: string): string | undefined {
  return ["debug", "info", "warn", "error"].includes(text) ? text : undefined;
}
