import { join, resolve } from "node:path";
import { type DatabaseLocation, getSqliteFile } from "../../db/location.ts";
import { belongsToDatabase, isSameFile } from "../../db/sqlite/database-files.ts";
import { canShareCookies } from "../../http/location.ts";
import type { Provider } from "../../identity/providers.ts";
import type { AllowedHosts } from "../../lib/allowed-hosts.ts";
import { isLoopbackHost } from "../../lib/loopback.ts";
import { type NotifyTarget, readNotifyTarget } from "../../mail/notify-target.ts";
import { parseMailFrom, parseSmtpUrl } from "../../mail/smtp.ts";
import type { AuthOptions, NotifyOptions } from "../../options.ts";
import type { SecretNames } from "../../settle-options.ts";
import type { Entry } from "./entry.ts";
import { isProviderSecret, readProviders } from "./providers.ts";
import { AUTO, getSecretFile, OWN_SECRET, readSecretFile } from "./secret-file.ts";
import {
  ENV_FILE,
  type SecretFile,
  type SettingProblem,
  type SettingsSources,
  Sources,
} from "./sources.ts";
import { entries, type SettingsTable, secretNames } from "./table.ts";
import type { Environment } from "./values.ts";

type ValueOf<E> =
  E extends Entry<infer T> ? (E extends { readonly default: string } ? T : T | undefined) : never;

type TableValues = { readonly [F in keyof SettingsTable]: ValueOf<SettingsTable[F]> };

/**
 * Contains the values of the table, values that depend on several settings, and values that are not
 * settings.
 */
export interface Settings extends Omit<TableValues, "allowedHosts"> {
  /** Lists the providers that `signInWith` names, with their own settings. */
  readonly providers: readonly Provider[];
  readonly allowedHosts: AllowedHosts;
  readonly setupTokenFile: string;
  readonly database: DatabaseLocation;
  /** Contains the environment without the secrets, for programs that the gate runs. */
  readonly programEnvironment: Environment;
  readonly nodeEnv: string | undefined;
  /** The file with the secret, if the gate makes it itself. It may not exist yet. */
  readonly ownSecretFile: string | undefined;
}

/** Maps the secrets to their names in messages of the gate. */
export const SECRET_SETTINGS: SecretNames = {
  secret: "AUTH_SECRET",
  previousSecrets: "AUTH_SECRET_PREVIOUS",
};

export function toAuthOptions(settings: Settings): Omit<AuthOptions, "store"> {
  const { secret, previousSecrets, postLoginLocation, trustedProxies } = settings;
  const { allowedHosts: allowed, publicUrl, cookieDomain, trustedOrigins } = settings;
  const { limiter, limitIpv6Prefix, locale, customCss: css } = settings;
  const { appName, accentColor, logoFile, logoFileDark } = settings;
  const from = findMailFrom(settings);
  return {
    ...{ secret, previousSecrets, postLoginLocation },
    ...(settings.smtpUrl !== undefined && from && { mail: { url: settings.smtpUrl, from } }),
    hosts: { allowed, publicUrl, cookieDomain, trustedOrigins, trustedProxies },
    guards: { keys: true },
    signIn: {
      ...{ limiter, limitIpv6Prefix, rememberDevice: settings.rememberDevice },
      with: settings.providers,
      first: settings.signInFirst,
      signUp: { mode: settings.signUp, domains: settings.signUpDomains },
    },
    sessions: { lifetime: settings.sessionLifetimeMs / 1_000 },
    pages: { appName, accentColor, logoFile, logoFileDark, locale, css },
  };
}

/** Returns the sender of mail. Many mail servers have users whose names are their addresses. */
export function findMailFrom({
  smtpUrl,
  mailFrom,
}: Pick<Settings, "smtpUrl" | "mailFrom">): string | undefined {
  if (mailFrom !== undefined || smtpUrl === undefined) return mailFrom;
  const { user = "" } = parseSmtpUrl(smtpUrl) ?? {};
  return parseMailFrom(user) === undefined ? undefined : user;
}

/** Returns where the operator is told what happens. */
export function findNotifyTarget({
  notifyUrl,
  notifySecret,
}: Pick<Settings, "notifyUrl" | "notifySecret">): NotifyTarget | undefined {
  if (notifyUrl === undefined) return undefined;
  const reading = readNotifyTarget(notifyUrl, notifySecret);
  return reading.kind === "target" ? reading.target : undefined;
}

export function toNotifyOptions(settings: Settings): NotifyOptions | undefined {
  const target = findNotifyTarget(settings);
  return target && { target, events: settings.notifyEvents };
}

export interface SettingsReading {
  /** Invalid values are replaced with defaults. */
  readonly settings: Settings;
  /** The list is empty if all values are valid. */
  readonly problems: readonly SettingProblem[];
  readonly warnings: readonly string[];
  readonly secretFiles: readonly SecretFile[];
}

export const getTokenFile = (dataDir: string): string => join(dataDir, "setup-token");

/** Returns whether a name is a secret. The PostgreSQL client reads `PGPASSWORD` itself. */
const isSecret = (name: string): boolean =>
  name === "PGPASSWORD" || secretNames.includes(name) || isProviderSecret(name);

/** Reads all settings. No other code of the gate reads the environment. */
export function readSettings(input: SettingsSources): SettingsReading {
  const { env = process.env } = input;
  const sources = new Sources({ ...input, env });
  const { problems, warnings, secretFiles } = sources;
  const values = Object.fromEntries(
    entries.map(([field, entry]) => {
      const defaultValue =
        entry.default === undefined ? undefined : entry.value.parse(entry.default, env);
      return [field, sources.readValue(entry) ?? defaultValue];
    }),
  ) as TableValues;

  const { host, dataDir } = values;
  const settings = Object.freeze<Settings>({
    ...values,
    ...readOwnSecret(sources, values),
    allowedHosts: values.allowedHosts ?? (isLoopbackHost(host) ? "loopback-setup" : ["*"]),
    setupTokenFile: values.setupTokenFile ?? getTokenFile(dataDir),
    database: values.database ?? { kind: "sqlite", file: join(dataDir, "latchkey.db") },
    programEnvironment: Object.fromEntries(Object.entries(env).filter(([name]) => !isSecret(name))),
    nodeEnv: sources.readText("NODE_ENV"),
    providers: readProviders(sources, values.signInWith, (message) =>
      problems.push({ about: ["SIGN_IN_WITH"], message }),
    ),
  });
  problems.push(
    ...findConflicts(settings),
    ...findSharedFiles(settings, listFiles(sources, settings, input)),
  );
  return { settings, problems, warnings, secretFiles };
}

/** Reads the secret of a gate that makes it itself. Until its first start, there is none. */
function readOwnSecret(
  sources: Sources,
  { secret, dataDir, database }: TableValues,
): Pick<Settings, "secret" | "ownSecretFile"> {
  if (sources.readText("AUTH_SECRET") !== AUTO) return { secret, ownSecretFile: undefined };
  if (database?.kind === "postgres") {
    const message =
      "AUTH_SECRET=auto is for one gate on SQLite: gates on PostgreSQL need the same secret, so set AUTH_SECRET to the output of latchkey secret on each";
    sources.problems.push({ about: ["AUTH_SECRET", "DATABASE_URL"], message });
    return { secret: undefined, ownSecretFile: undefined };
  }
  const path = getSecretFile(dataDir);
  const reading = readSecretFile(path);
  if (reading.kind === "refused") {
    const message = `${OWN_SECRET}: ${path}: ${reading.problem}`;
    sources.problems.push({ about: ["AUTH_SECRET"], message });
  }
  sources.secretFiles.push({ name: OWN_SECRET, path: resolve(path) });
  return { secret: reading.kind === "read" ? reading.secret : undefined, ownSecretFile: path };
}

/** Lists the files that settings name, each with the name of the setting. */
function listFiles(
  sources: Sources,
  { domainSetupCommand }: Settings,
  { envFile }: SettingsSources,
): readonly SecretFile[] {
  const files: SecretFile[] = [...sources.secretFiles];
  const add = (name: string, path: string | undefined): void => {
    if (path !== undefined) files.push({ name, path: resolve(path) });
  };
  if (!files.some(({ name }) => name === ENV_FILE)) add(ENV_FILE, envFile);
  for (const name of [
    "TLS_CERT_FILE",
    "TLS_KEY_FILE",
    "ACME_CA_FILE",
    "LOGO_FILE",
    "LOGO_FILE_DARK",
    "CUSTOM_CSS",
  ]) {
    add(name, sources.readText(name));
  }
  add("DOMAIN_SETUP_COMMAND", domainSetupCommand);
  return files;
}

/**
 * Finds files that two settings share. The setup deletes its token file, and the gate writes its
 * database, so neither may be the file of another setting.
 */
function findSharedFiles(
  { setupTokenFile, database }: Settings,
  files: readonly SecretFile[],
): readonly SettingProblem[] {
  const databaseFile = getSqliteFile(database);
  const isDatabaseFile = (path: string) =>
    databaseFile !== undefined && belongsToDatabase(path, databaseFile);
  const problems: SettingProblem[] = [];
  const refuse = (name: string, other: string): void => {
    const text = `${name} and ${other} name the same file: give each a file of its own`;
    problems.push({ about: [name, other], message: text });
  };
  for (const { name, path } of files) {
    if (isSameFile(path, setupTokenFile)) refuse("SETUP_TOKEN_FILE", name);
    if (isDatabaseFile(path)) refuse("DATABASE_URL", name);
  }
  if (isDatabaseFile(setupTokenFile)) refuse("SETUP_TOKEN_FILE", "DATABASE_URL");
  return problems;
}

/** Finds values that are valid alone but not together. */
function findConflicts(settings: Settings): readonly SettingProblem[] {
  const { limiter, database, tlsCertFile, tlsKeyFile } = settings;
  const problems: SettingProblem[] = [];
  if (limiter === "shared" && database.kind === "sqlite") {
    const text = "SHARED_LIMITER=on requires a postgres:// URL in DATABASE_URL";
    problems.push({ about: ["SHARED_LIMITER", "DATABASE_URL"], message: text });
  }
  if ((tlsCertFile === undefined) !== (tlsKeyFile === undefined)) {
    const text = "TLS_CERT_FILE and TLS_KEY_FILE must be set together";
    problems.push({ about: ["TLS_CERT_FILE", "TLS_KEY_FILE"], message: text });
  }
  if (!canShareCookies(settings.publicUrl, settings.cookieDomain)) {
    const text = "PUBLIC_URL must be at or below COOKIE_DOMAIN, or browsers reject the cookie";
    problems.push({ about: ["PUBLIC_URL", "COOKIE_DOMAIN"], message: text });
  }
  if (settings.returnDomains.length > 0 && settings.publicUrl?.startsWith("https:") !== true) {
    const text = "RETURN_DOMAINS requires a PUBLIC_URL with https";
    problems.push({ about: ["RETURN_DOMAINS", "PUBLIC_URL"], message: text });
  }
  const { signInFirst: first } = settings;
  if (first !== undefined && !settings.providers.some(({ name }) => name === first)) {
    const text = `SIGN_IN_FIRST=${first} is not in SIGN_IN_WITH`;
    problems.push({ about: ["SIGN_IN_FIRST", "SIGN_IN_WITH"], message: text });
  }
  if (settings.signUp !== "off" && !settings.smtpUrl && settings.signInWith.length === 0) {
    const text = "SIGN_UP requires SMTP_URL, which verifies addresses, or SIGN_IN_WITH";
    problems.push({ about: ["SIGN_UP", "SMTP_URL", "SIGN_IN_WITH"], message: text });
  }
  if (settings.signInWith.length > 0 && settings.publicUrl === undefined) {
    const text = "SIGN_IN_WITH requires PUBLIC_URL, to which the providers lead back";
    problems.push({ about: ["SIGN_IN_WITH", "PUBLIC_URL"], message: text });
  }
  if (settings.smtpUrl !== undefined && settings.publicUrl === undefined) {
    const text = "SMTP_URL requires PUBLIC_URL, with which the links in messages begin";
    problems.push({ about: ["SMTP_URL", "PUBLIC_URL"], message: text });
  }
  if (settings.smtpUrl !== undefined && findMailFrom(settings) === undefined) {
    const text = "SMTP_URL requires MAIL_FROM, the sender of the mail";
    problems.push({ about: ["SMTP_URL", "MAIL_FROM"], message: text });
  }
  const { notifyUrl, notifySecret } = settings;
  const reading = notifyUrl === undefined ? undefined : readNotifyTarget(notifyUrl, notifySecret);
  if (reading?.kind === "problem")
    problems.push({ about: ["NOTIFY_URL", "NOTIFY_SECRET"], message: reading.problem });
  if (notifyUrl === undefined && notifySecret !== undefined) {
    const text = "NOTIFY_SECRET requires NOTIFY_URL, which says where notices are sent";
    problems.push({ about: ["NOTIFY_URL", "NOTIFY_SECRET"], message: text });
  }
  return problems;
}
