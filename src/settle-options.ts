import { availableParallelism } from "node:os";
import { Fault } from "./core/base/fault.ts";
import { noMeter } from "./core/base/meter.ts";
import { type ServerLog, unfailing } from "./core/base/server-log.ts";
import type { WorkQueueLimits } from "./core/base/work-queue.ts";
import { type AllowedHosts, canonicalHost } from "./core/hosts/allowed-hosts.ts";
import { createBoundedLog } from "./core/log/bounded-log.ts";
import { type WeakSecret, weakSecrets } from "./core/sessions/secrets.ts";
import { DEVELOPMENT_SECRET } from "./core/sessions/session-token.ts";
import type { SetupTokenSource } from "./core/setup/setup-token.ts";
import * as checks from "./option-checks.ts";
import { type AuthOptions, MAX_LIMIT_IPV6_PREFIX, type SettledOptions } from "./options.ts";
import { sharesCookies } from "./web/answers/location.ts";

/** Three of libuv's four threads: the fourth stays free for files and names. */
const MAX_HASHES_AT_ONCE = 3;
const MAX_HASHES_WAITING = 128;

export const defaultHashing = (): WorkQueueLimits => ({
  atOnce: Math.min(availableParallelism(), MAX_HASHES_AT_ONCE),
  waiting: MAX_HASHES_WAITING,
});

const noSetupToken: SetupTokenSource = {
  read: async () => undefined,
  delete: async () => {},
};

/** For apps that pass no logger. */
const consoleLog: ServerLog = {
  warn: (fields, message) => console.warn(`latchkey: ${message}`, fields),
  error: (fields, message) => console.error(`latchkey: ${message}`, fields),
};

/** With the log as it was given. */
type CheckedOptions = Omit<SettledOptions, "log"> & Required<Pick<AuthOptions, "log">>;

/** Every option that can be left out. The default of `homePath` depends on `basePath`. */
export const OPTION_DEFAULTS: Omit<CheckedOptions, "store" | "secret" | "homePath"> = Object.freeze(
  {
    previousSecrets: [],
    basePath: "",
    postLoginLocation: "/",
    oneTimeCodes: true,
    pagesDir: undefined,
    pages: {},
    appName: "Latchkey",
    accentColor: undefined,
    logoFile: undefined,
    locale: undefined,
    siteFiles: false,
    health: false,
    setupToken: noSetupToken,
    setUpDomain: undefined,
    allowedHosts: ["*"],
    trustedOrigins: [],
    trustedProxies: [],
    publicUrl: undefined,
    passkeys: true,
    cookieDomain: undefined,
    forwardAuth: false,
    returnTo: false,
    onDenied: "redirect",
    limiter: "own",
    limitIpv6Prefix: MAX_LIMIT_IPV6_PREFIX,
    hashing: defaultHashing(),
    sessions: true,
    log: consoleLog,
    meter: noMeter,
  },
);

/** What messages call the secrets. */
export interface SecretNames {
  readonly secret: string;
  readonly previousSecrets: string;
}

const OPTION_NAMES: SecretNames = {
  secret: "the option secret",
  previousSecrets: "the option previousSecrets",
};

/**
 * Completes, checks, copies and freezes the options, and bounds the log: nothing else gets the given
 * one.
 *
 * @throws {Fault} `invalid_option` or `guessable_secret`.
 */
export function settleOptions(
  options: AuthOptions,
  nodeEnv?: string,
  names: SecretNames = OPTION_NAMES,
): SettledOptions {
  const { store, secret } = options;
  // An option that is passed as undefined counts as left out.
  const given: Partial<CheckedOptions> = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  );
  const merged = { homePath: given.basePath || "/", ...OPTION_DEFAULTS, ...given, store };
  const settled: CheckedOptions = {
    ...merged,
    secret: secret || DEVELOPMENT_SECRET,
    previousSecrets: Object.freeze([...merged.previousSecrets]),
    pages: Object.freeze({ ...merged.pages }),
    allowedHosts: settledHosts(merged.allowedHosts),
    trustedOrigins: Object.freeze(merged.trustedOrigins.concat(merged.publicUrl ?? [])),
    trustedProxies: Object.freeze([...merged.trustedProxies]),
    hashing: Object.freeze({ ...merged.hashing }),
  };
  const problem = optionProblem(settled);
  if (problem !== undefined) throw new Fault("invalid_option", problem);
  const weak = weakSecrets(settled);
  const [refused] = nodeEnv === "production" ? weak : [];
  if (refused !== undefined) throw new Fault("guessable_secret", secretRefusal(refused, names));
  const log = unfailing(settled.log);
  warnOfSecrets({ ...settled, log }, weak, names);
  return Object.freeze({ ...settled, log: createBoundedLog(log) });
}

/** Host names in canonical spelling. An invalid one stays as it is, and the check refuses it. */
function settledHosts(hosts: AllowedHosts): AllowedHosts {
  if (typeof hosts === "string") return hosts;
  return Object.freeze(hosts.map((host) => canonicalHost(host) ?? host));
}

/** Verifies that every check is named after an option and takes its values. */
const optionChecks: {
  readonly [K in keyof typeof checks]: checks.Check<NonNullable<SettledOptions[K]>>;
} = checks;

function optionProblem(options: CheckedOptions): string | undefined {
  for (const [name, check] of Object.entries<checks.Check<never>>(optionChecks)) {
    const value = options[name as keyof typeof optionChecks] ?? undefined;
    if (value !== undefined && !check.accepts(value as never)) {
      return `${name} is invalid: expected ${check.takes}`;
    }
  }
  return sharesCookies(options.publicUrl, options.cookieDomain)
    ? undefined
    : "publicUrl must be at or below cookieDomain, or browsers reject the cookie";
}

/** Why a secret is refused, and what to do. */
export function secretRefusal({ which, weakness }: WeakSecret, names: SecretNames): string {
  const remedy =
    which === "secret"
      ? "run `latchkey secret`, and set it to the output"
      : "remove it, which ends the sessions that it signed";
  return `${names[which]} is refused when NODE_ENV is production: ${weakness} (${remedy})`;
}

function warnOfSecrets(
  { secret, log }: CheckedOptions,
  weak: readonly WeakSecret[],
  { secret: name }: SecretNames,
): void {
  if (secret === DEVELOPMENT_SECRET) {
    const text = `${name} is not set: using the built-in development secret, so anyone can forge sessions. Run \`latchkey secret\` and set ${name} to its output.`;
    log.warn({}, text);
    return;
  }
  for (const { which, weakness } of weak) {
    const of = which === "secret" ? "the secret" : "a previous secret";
    log.warn({}, `${of} can be guessed: ${weakness}`);
  }
}
