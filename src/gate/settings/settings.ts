import { join, resolve } from "node:path";
import type { AllowedHosts } from "../../core/allowed-hosts.ts";
import { isLoopbackHost } from "../../core/loopback.ts";
import { type Environment, environmentOf } from "../../core/secrets.ts";
import { isAppName, MAX_LIMIT_IPV6_PREFIX } from "../../options.ts";
import { isCookieDomain, isLocation, sharesCookies } from "../../web/location.ts";
import { isColor } from "../../web/pages/accent-color.ts";
import { isLocale } from "../../web/pages/locale.ts";
import type { Locale } from "../../web/pages/words.ts";
import {
  openSources,
  type SecretFile,
  type SettingProblem,
  type SettingsSources,
} from "./setting-sources.ts";
import {
  addressRanges,
  age,
  certificates,
  folder,
  hostList,
  hostName,
  httpsUrl,
  image,
  ipv6Prefix,
  list,
  logLevel,
  onOrOff,
  portNumber,
  postgresUrl,
  program,
  publicOrigin,
  readableFile,
} from "./setting-values.ts";

export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly allowedHosts: AllowedHosts;
  readonly httpsPort: number | undefined;
  /** Both or neither. */
  readonly tlsCertFile: string | undefined;
  readonly tlsKeyFile: string | undefined;
  /** `undefined` stands for Let's Encrypt. */
  readonly acmeDirectoryUrl: string | undefined;
  /** Certificates that are trusted besides the usual ones, as PEM. */
  readonly acmeCa: string | undefined;
  readonly dataDir: string;
  readonly databaseFile: string;
  /** PostgreSQL, instead of the file. */
  readonly databaseUrl: string | undefined;
  /** `undefined` stands for the development secret. */
  readonly secret: string | undefined;
  readonly previousSecrets: readonly string[];
  readonly limiter: "own" | "shared";
  readonly limitIpv6Prefix: number;
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
  /** `undefined` serves no metrics. */
  readonly metricsPort: number | undefined;
  readonly metricsHost: string;
  readonly environment: Environment;
}

export type SettingsReading =
  | (Read & { readonly kind: "settings" })
  | (Read & { readonly kind: "wrong"; readonly problems: readonly SettingProblem[] });

interface Read {
  /** With defaults in place of what is wrong. */
  readonly settings: Settings;
  readonly warnings: readonly string[];
  readonly secretFiles: readonly SecretFile[];
}

/** Where the setup token is, unless a setting says otherwise. */
export const tokenFileIn = (dataDir: string): string => join(dataDir, "setup-token");

/** The only place that looks at the environment. A flag wins over it, and it over the file. */
export function readSettings(sources: SettingsSources): SettingsReading {
  const { env = process.env } = sources;
  const { text, value, textOrFile, linesOrFile, problems, warnings, secretFiles } = openSources({
    ...sources,
    env,
  });

  const dataDir = resolve(text("DATA_DIR") ?? "./data");
  const host = value("HOST", hostName) ?? "127.0.0.1";
  const settings: Settings = {
    host,
    port: value("PORT", portNumber) ?? 3000,
    allowedHosts:
      value("ALLOWED_HOSTS", hostList) ?? (isLoopbackHost(host) ? "loopback-setup" : ["*"]),
    httpsPort: value("HTTPS_PORT", portNumber),
    tlsCertFile: value("TLS_CERT_FILE", readableFile),
    tlsKeyFile: value("TLS_KEY_FILE", readableFile),
    acmeDirectoryUrl: value("ACME_DIRECTORY_URL", httpsUrl),
    acmeCa: value("ACME_CA_FILE", certificates),
    dataDir,
    databaseFile: join(dataDir, "latchkey.db"),
    databaseUrl: value("DATABASE_URL", postgresUrl, textOrFile("DATABASE_URL")),
    limiter: value("SHARED_LIMITER", onOrOff) === "on" ? "shared" : "own",
    limitIpv6Prefix: value("LIMIT_IPV6_PREFIX", ipv6Prefix) ?? MAX_LIMIT_IPV6_PREFIX,
    logRetentionMs: value("LOG_RETENTION", age),
    secret: textOrFile("AUTH_SECRET"),
    previousSecrets: linesOrFile("AUTH_SECRET_PREVIOUS", list) ?? [],
    setupTokenFile: resolve(text("SETUP_TOKEN_FILE") ?? tokenFileIn(dataDir)),
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
    metricsPort: value("METRICS_PORT", portNumber),
    metricsHost: value("METRICS_HOST", hostName) ?? "127.0.0.1",
    programEnvironment: {
      ...env,
      AUTH_SECRET: undefined,
      AUTH_SECRET_PREVIOUS: undefined,
      DATABASE_URL: undefined,
    },
    environment: environmentOf(text("NODE_ENV")),
  };
  problems.push(...discords(settings));
  if (text("METRICS_HOST") !== undefined && text("METRICS_PORT") === undefined) {
    warnings.push("METRICS_HOST takes effect only together with METRICS_PORT");
  }

  const read: Read = { settings: Object.freeze(settings), warnings, secretFiles };
  return problems.length > 0 ? { ...read, kind: "wrong", problems } : { ...read, kind: "settings" };
}

/** What each setting can take, but not together. */
function discords({
  limiter,
  databaseUrl,
  tlsCertFile,
  tlsKeyFile,
  publicUrl,
  cookieDomain,
}: Settings): readonly SettingProblem[] {
  const sharesAlone = limiter === "shared" && databaseUrl === undefined;
  const halfTls = (tlsCertFile === undefined) !== (tlsKeyFile === undefined);
  const dropsCookie =
    publicUrl !== undefined &&
    cookieDomain !== undefined &&
    !sharesCookies(publicUrl, cookieDomain);
  return [
    sharesAlone && {
      about: ["SHARED_LIMITER", "DATABASE_URL"],
      text: "SHARED_LIMITER takes on only together with DATABASE_URL",
    },
    halfTls && {
      about: ["TLS_CERT_FILE", "TLS_KEY_FILE"],
      text: "TLS_CERT_FILE and TLS_KEY_FILE take effect only together",
    },
    dropsCookie && {
      about: ["PUBLIC_URL", "COOKIE_DOMAIN"],
      text: "PUBLIC_URL takes an origin at or below COOKIE_DOMAIN, or browsers drop the cookie",
    },
  ].filter((problem) => problem !== false);
}
