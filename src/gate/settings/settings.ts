import { join } from "node:path";
import type { AllowedHosts } from "../../core/allowed-hosts.ts";
import { isLoopbackHost } from "../../core/loopback.ts";
import { type Environment, environmentOf } from "../../core/secrets.ts";
import { sharesCookies } from "../../web/location.ts";
import {
  openSources,
  type SecretFile,
  type SettingProblem,
  type SettingsSources,
} from "./sources.ts";
import { entries, type SettingsTable } from "./table.ts";
import type { Environment as Variables } from "./values.ts";

type ValueOf<E> = E extends { readonly value: { readonly parse: (...given: never[]) => infer T } }
  ? E extends { readonly default: string }
    ? NonNullable<T>
    : T | undefined
  : never;

/** The value of each setting in the table. */
type TableValues = { readonly [F in keyof SettingsTable]: ValueOf<SettingsTable[F]> };

/** The table's values, and what follows from several settings or is not one. */
export interface Settings extends TableValues {
  readonly allowedHosts: AllowedHosts;
  readonly setupTokenFile: string;
  /** SQLite, unless `databaseUrl` is set. */
  readonly databaseFile: string;
  /** The environment without the secrets, for programs that the gate runs. */
  readonly programEnvironment: Variables;
  readonly environment: Environment;
}

type OptionField = {
  [F in keyof SettingsTable]: SettingsTable[F] extends { readonly option: F } ? F : never;
}[keyof SettingsTable];

/** The options of `createAuth` that are settings. */
export function optionsOf(settings: Settings): Pick<Settings, OptionField> {
  const options = entries.flatMap(([, { option }]) => option ?? []) as OptionField[];
  return Object.fromEntries(options.map((option) => [option, settings[option]])) as Pick<
    Settings,
    OptionField
  >;
}

export type SettingsReading =
  | (Read & { readonly kind: "settings" })
  | (Read & { readonly kind: "wrong"; readonly problems: readonly SettingProblem[] });

interface Read {
  /** With defaults in place of invalid values. */
  readonly settings: Settings;
  readonly warnings: readonly string[];
  readonly secretFiles: readonly SecretFile[];
}

/** The default of `SETUP_TOKEN_FILE`. */
export const tokenFileIn = (dataDir: string): string => join(dataDir, "setup-token");

/** The only code of the gate that reads the environment. */
export function readSettings(given: SettingsSources): SettingsReading {
  const { env = process.env } = given;
  const sources = openSources({ ...given, env });
  const { text, problems, warnings, secretFiles } = sources;
  const values = Object.fromEntries(
    entries.map(([field, entry]) => {
      const otherwise =
        entry.default === undefined ? undefined : entry.value.parse(entry.default, env);
      return [field, sources.value(entry) ?? otherwise];
    }),
  ) as unknown as TableValues;

  const { host, dataDir } = values;
  const secrets = entries.filter(([, { secret }]) => secret === true);
  const settings: Settings = Object.freeze({
    ...values,
    allowedHosts: values.allowedHosts ?? (isLoopbackHost(host) ? "loopback-setup" : ["*"]),
    setupTokenFile: values.setupTokenFile ?? tokenFileIn(dataDir),
    databaseFile: join(dataDir, "latchkey.db"),
    programEnvironment: {
      ...env,
      ...Object.fromEntries(secrets.map(([, { name }]) => [name, undefined])),
    },
    environment: environmentOf(text("NODE_ENV")),
  });
  problems.push(...conflicts(settings));
  if (text("METRICS_HOST") !== undefined && text("METRICS_PORT") === undefined) {
    warnings.push("METRICS_HOST has no effect without METRICS_PORT");
  }
  const read: Read = { settings, warnings, secretFiles };
  return problems.length > 0 ? { ...read, kind: "wrong", problems } : { ...read, kind: "settings" };
}

/** Values that are valid, but not together. */
function conflicts(settings: Settings): readonly SettingProblem[] {
  const { limiter, databaseUrl, tlsCertFile, tlsKeyFile, publicUrl, cookieDomain } = settings;
  const sharesAlone = limiter === "shared" && databaseUrl === undefined;
  const halfTls = (tlsCertFile === undefined) !== (tlsKeyFile === undefined);
  const dropsCookie =
    publicUrl !== undefined &&
    cookieDomain !== undefined &&
    !sharesCookies(publicUrl, cookieDomain);
  return [
    sharesAlone && {
      about: ["SHARED_LIMITER", "DATABASE_URL"],
      text: "SHARED_LIMITER=on requires DATABASE_URL",
    },
    halfTls && {
      about: ["TLS_CERT_FILE", "TLS_KEY_FILE"],
      text: "TLS_CERT_FILE and TLS_KEY_FILE must be set together",
    },
    dropsCookie && {
      about: ["PUBLIC_URL", "COOKIE_DOMAIN"],
      text: "PUBLIC_URL must be at or below COOKIE_DOMAIN, or browsers reject the cookie",
    },
  ].filter((problem) => problem !== false);
}
