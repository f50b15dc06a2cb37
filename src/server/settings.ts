import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { codeOf, messageOf } from "../core/fault.ts";
import { DEVELOPMENT_SECRET } from "../core/session-token.ts";
import { isAppName } from "../options.ts";
import { isColor } from "../web/accent-color.ts";
import { isLocale } from "../web/locale.ts";
import { isCookieDomain, isLocation, sharesCookies } from "../web/location.ts";
import type { Locale } from "../web/words.ts";
import { settingNamed, unknownNames } from "./setting-names.ts";
import {
  addressRanges,
  age,
  folder,
  hostName,
  image,
  list,
  logLevel,
  onOrOff,
  portNumber,
  postgresUrl,
  program,
  publicOrigin,
} from "./setting-values.ts";

export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly databaseFile: string;
  /** PostgreSQL, instead of the file. */
  readonly databaseUrl: string | undefined;
  /** `undefined` stands for the development secret. */
  readonly secret: string | undefined;
  readonly previousSecrets: readonly string[];
  readonly limiter: "own" | "shared";
  /** How long log entries are kept; `undefined` for ever. */
  readonly logRetentionMs: number | undefined;
  readonly setupTokenFile: string;
  readonly postLoginLocation: string;
  readonly domainSetupCommand: string | undefined;
  /** What programs that the gate runs get to see: not the secrets. */
  readonly programEnvironment: Readonly<Record<string, string | undefined>>;
  readonly appName: string;
  readonly accentColor: string | undefined;
  readonly logoFile: string | undefined;
  readonly locale: Locale | undefined;
  readonly pagesDir: string | undefined;
  readonly trustedProxies: readonly string[];
  readonly publicUrl: string | undefined;
  readonly cookieDomain: string | undefined;
  readonly logLevel: string;
  readonly logFailures: "on" | "off";
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

  /** What must not stand in an environment that others can see may stand in a file of its own. */
  const textOrFile = (name: string): string | undefined => {
    const path = text(`${name}_FILE`);
    if (path === undefined) return text(name);
    if (text(name) !== undefined) problems.push(`${name} and ${name}_FILE are both set`);
    return readSecret(`${name}_FILE`, path, problems);
  };

  /** In the file one a line, so that there a secret may have commas and spaces. */
  const previousSecrets = (given: readonly string[] | undefined): readonly string[] => {
    const path = text("AUTH_SECRET_PREVIOUS_FILE");
    if (path === undefined) return given ?? [];
    if (given !== undefined) {
      problems.push("AUTH_SECRET_PREVIOUS and AUTH_SECRET_PREVIOUS_FILE are both set");
    }
    const lines = readSecret("AUTH_SECRET_PREVIOUS_FILE", path, problems)?.split(/\r?\n/);
    const secrets = lines?.filter((line) => line !== "");
    if (secrets?.length === 0) problems.push("AUTH_SECRET_PREVIOUS_FILE names an empty file");
    return secrets ?? [];
  };

  const value = <T>(
    name: string,
    parse: (text: string) => T | undefined,
    given: string | undefined = text(name),
  ): T | undefined => {
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
    databaseUrl: value("DATABASE_URL", postgresUrl, textOrFile("DATABASE_URL")),
    limiter: value("SHARED_LIMITER", onOrOff) === "on" ? "shared" : "own",
    logRetentionMs: value("LOG_RETENTION", age),
    secret: textOrFile("AUTH_SECRET"),
    previousSecrets: previousSecrets(value("AUTH_SECRET_PREVIOUS", list)),
    setupTokenFile: resolve(text("SETUP_TOKEN_FILE") ?? join(dataDir, "setup-token")),
    postLoginLocation:
      value("POST_LOGIN_LOCATION", (given) => (isLocation(given) ? given : undefined)) ?? "/",
    domainSetupCommand: value("DOMAIN_SETUP_COMMAND", (given) => program(given, env.PATH ?? "")),
    appName: value("APP_NAME", (given) => (isAppName(given) ? given : undefined)) ?? "Latchkey",
    accentColor: value("ACCENT_COLOR", (given) => (isColor(given) ? given : undefined)),
    logoFile: value("LOGO_FILE", image),
    locale: value("LOCALE", (given) => (isLocale(given) ? given : undefined)),
    pagesDir: value("PAGES_DIR", folder),
    trustedProxies: value("TRUSTED_PROXIES", addressRanges) ?? [],
    publicUrl: value("PUBLIC_URL", publicOrigin),
    cookieDomain: value("COOKIE_DOMAIN", (given) => (isCookieDomain(given) ? given : undefined)),
    logLevel: value("LOG_LEVEL", logLevel) ?? "info",
    logFailures: value("LOG_FAILED_SIGNINS", onOrOff) ?? "off",
    programEnvironment: {
      ...env,
      AUTH_SECRET: undefined,
      AUTH_SECRET_PREVIOUS: undefined,
      DATABASE_URL: undefined,
    },
    environment: text("NODE_ENV") === "production" ? "production" : "other",
  };
  if (settings.limiter === "shared" && settings.databaseUrl === undefined) {
    problems.push("SHARED_LIMITER takes on only together with DATABASE_URL");
  }
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
  previousSecrets,
  environment,
}: Pick<Settings, "secret" | "previousSecrets" | "environment">): string | undefined {
  if (environment !== "production") return undefined;
  if (secret === undefined || secret === DEVELOPMENT_SECRET) {
    return "AUTH_SECRET has to be set where NODE_ENV is production: 32 random bytes or more";
  }
  return previousSecrets.includes(DEVELOPMENT_SECRET)
    ? "AUTH_SECRET_PREVIOUS takes no development secret where NODE_ENV is production"
    : undefined;
}

/** An editor's line break at the end is no part of the secret. */
function readSecret(name: string, path: string, problems: string[]): string | undefined {
  try {
    const bytes = readFileSync(path);
    const secret = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const line = secret.replace(/\r?\n$/, "");
    if (line === "") problems.push(`${name} names an empty file`);
    return line || undefined;
  } catch (error) {
    // Without the path: by a slip, it may be the secret itself.
    const isEncoding = codeOf(error) === "ERR_ENCODING_INVALID_ENCODED_DATA";
    const reason = isEncoding ? "it is not valid UTF-8" : (codeOf(error) ?? "for some reason");
    problems.push(`${name} names a file that cannot be read: ${reason}`);
    return undefined;
  }
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
