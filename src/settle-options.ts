import { Fault } from "./core/base/fault.ts";
import { type ServerLog, unfailing } from "./core/base/server-log.ts";
import { createBoundedLog } from "./core/log/bounded-log.ts";
import { type WeakSecret, weakSecrets } from "./core/sessions/secrets.ts";
import { DEVELOPMENT_SECRET } from "./core/sessions/session-token.ts";
import type { Store } from "./core/store.ts";
import { type AnyOption, isOption, type OptionGroup, optionTable } from "./option-table.ts";
import type { AuthOptions, SettledOptions } from "./options.ts";
import { sharesCookies } from "./web/answers/location.ts";

/** What messages call the secrets. */
export interface SecretNames {
  readonly secret: string;
  readonly previousSecrets: string;
}

const OPTION_NAMES: SecretNames = {
  secret: "the option secret",
  previousSecrets: "the option previousSecrets",
};

/** With the log as it was given. */
type CheckedOptions = Omit<SettledOptions, "store" | "secret" | "log"> & {
  readonly log: ServerLog;
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
  requireObject(options, "the argument of createAuth", "store and secret");
  const { store, secret: given, ...others } = options;
  requireStore(store);
  if (given !== undefined && typeof given !== "string") {
    throw invalid(`${names.secret} is invalid: expected text`);
  }
  const checked = settled(optionTable, others) as CheckedOptions;
  requireParts(store, checked);
  const { publicUrl, cookieDomain } = checked.hosts;
  if (!sharesCookies(publicUrl, cookieDomain)) {
    throw invalid(
      "hosts.publicUrl must be at or below hosts.cookieDomain, or browsers reject the cookie",
    );
  }
  const secret = given || DEVELOPMENT_SECRET;
  const weak = weakSecrets({ ...checked, secret });
  const [refused] = nodeEnv === "production" ? weak : [];
  if (refused !== undefined) throw new Fault("guessable_secret", secretRefusal(refused, names));
  const log = unfailing(checked.log);
  if (secret === DEVELOPMENT_SECRET) log.warn({}, missingSecret(names.secret));
  else for (const one of weak) log.warn({}, guessableSecret(one));
  return Object.freeze({ ...checked, store, secret, log: createBoundedLog(log) });
}

const invalid = (problem: string): Fault => new Fault("invalid_option", problem);

function requireObject(given: unknown, name: string, parts: string): asserts given is object {
  if (typeof given === "object" && given !== null) return;
  throw invalid(`${name} is invalid: expected an object with ${parts}`);
}

/** Plain JavaScript can pass anything, such as the promise of a store. */
function requireStore(store: unknown): void {
  const takes = "a store, such as that of await openSqlite({ file })";
  if (store instanceof Promise) throw invalid(`store is a promise: expected ${takes}`);
  if (typeof store === "object" && store !== null && "users" in store && "log" in store) return;
  throw invalid(`store is invalid: expected ${takes}`);
}

/** For the options that need a part which a store can leave out. */
function requireParts(
  { attempts, keys, people, links }: Store,
  options: Pick<SettledOptions, "signIn" | "guards" | "people">,
): void {
  if (options.signIn.limiter === "shared" && attempts === undefined)
    throw invalid("signIn.limiter takes shared only with a store that counts attempts");
  if (options.guards.keys && keys === undefined)
    throw invalid("guards.keys takes true only with a store that keeps keys");
  if (options.people && (people === undefined || links === undefined))
    throw invalid("people takes true only with a store of people and links");
}

/** `undefined` counts as left out. A name that is not an option is a fault, in a group too. */
function settled(table: OptionGroup, given: unknown = {}, group = ""): object {
  requireObject(given, group.slice(0, -1), Object.keys(table).join(", "));
  const values = new Map<string, unknown>(Object.entries(given));
  for (const name of values.keys()) {
    if (Object.hasOwn(table, name)) continue;
    throw invalid(`${group}${name} is not an option${meant(name)}`);
  }
  const entries = Object.entries(table).map(([name, option]) => {
    const value = values.get(name);
    if (!isOption(option)) return [name, settled(option, value, `${name}.`)];
    return [name, optionValue(option, value, `${group}${name}`)];
  });
  return Object.freeze(Object.fromEntries(entries));
}

function optionValue(option: AnyOption, given: unknown = option.default, path: string): unknown {
  if (given === undefined) return undefined;
  try {
    const value = option.copy(given as never);
    if (option.accepts(value as never)) return value;
  } catch {
    // A value of another type, which the check cannot read.
  }
  throw invalid(`${path} is invalid: expected ${option.takes}`);
}

/** Where the option is that the name, or a word of it, means. */
function meant(name: string): string {
  const places = Object.entries(optionTable).flatMap(([group, option]) =>
    isOption(option) ? [group] : Object.keys(option).map((one) => `${group}.${one}`),
  );
  const words = [name, ...name.split(/(?=[A-Z])/)].map((word) => word.toLowerCase());
  const place = places.find((one) => words.includes(one.replace(/.*\./, "").toLowerCase()));
  return place === undefined ? "" : `: did you mean ${place}?`;
}

/** Why a secret is refused, and what to do. */
export function secretRefusal({ which, weakness }: WeakSecret, names: SecretNames): string {
  const remedy =
    which === "secret"
      ? "run `latchkey secret`, and set it to the output"
      : "remove it, which ends the sessions that it signed";
  return `${names[which]} is refused when NODE_ENV is production: ${weakness} (${remedy})`;
}

const missingSecret = (name: string): string =>
  `${name} is not set: using the built-in development secret, so anyone can forge sessions. Run \`latchkey secret\` and set ${name} to its output.`;

const guessableSecret = ({ which, weakness }: WeakSecret): string =>
  `${which === "secret" ? "the secret" : "a previous secret"} can be guessed: ${weakness}`;
