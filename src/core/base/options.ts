import { Fault } from "./fault.ts";
import { isObject } from "./json.ts";
import { nearestOf, normalized } from "./nearest.ts";

/** The default of an option, and what it accepts: in words that complete "expected …", and a check. */
export interface Option<T, Given = Exclude<T, undefined>> {
  readonly default: T;
  readonly takes: string;
  readonly accepts: (value: Given) => boolean;
  /** Copies and freezes an object that an app could change later. Runs before the check. */
  readonly copy: (value: Given) => T;
}

type AnyOption = Option<unknown, never>;
/** Options by their names, and groups of options. */
type OptionGroup = Readonly<Record<string, AnyOption | Readonly<Record<string, AnyOption>>>>;

export const option = <T>(
  otherwise: T,
  takes: string,
  accepts: Option<T>["accepts"],
  copy: Option<T>["copy"] = (given) => given,
): Option<T> => ({ default: otherwise, takes, accepts, copy });

/** One of two words. The first is the default. */
export const word = <T extends string>(first: T, second: T): Option<T> =>
  option(first, `${first} or ${second}`, (value) => value === first || value === second);

/** Without a default. Its check refuses `null`. */
export const required = <T>(takes: string, accepts: Option<T>["accepts"]): Option<T> =>
  option<T>(null as never, takes, accepts);

/**
 * Checks, completes, copies and freezes options. `undefined` counts as left out. A name that is not
 * an option is a fault, in a group too.
 *
 * @param takes What the function takes, for anything but an object.
 * @throws {Fault} `invalid_option`, also for anything that plain JavaScript can pass.
 */
export function settle<T>(
  table: { readonly [Name in keyof T]: unknown },
  given: unknown,
  takes: string,
): T {
  if (!isObject(given)) throw invalid(takes);
  const names = [...optionNames(table), ...Object.keys(table)];
  const settled = (group: OptionGroup, values: Values, path: string): object => {
    for (const name of Object.keys(values)) {
      if (Object.hasOwn(group, name)) continue;
      throw invalid(`${path}${name} is not an option${meant(name, names)}`);
    }
    const entries = Object.entries(group).map(([name, one]) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      const full = `${path}${name}`;
      if (isOption(one)) return [name, optionValue(one, value, full)];
      return [name, settled(one, groupIn(value, full, Object.keys(one)), `${full}.`)];
    });
    return Object.freeze(Object.fromEntries(entries));
  };
  return settled(table as OptionGroup, given, "") as T;
}

type Values = Readonly<Record<string, unknown>>;

/** The full names of the options: `hosts.publicUrl` in the group `hosts`. */
export const optionNames = (table: object): readonly string[] =>
  Object.entries(table as OptionGroup).flatMap(([name, one]) =>
    isOption(one) ? [name] : Object.keys(one).map((option) => `${name}.${option}`),
  );

const isOption = (one: OptionGroup[string]): one is AnyOption => typeof one.accepts === "function";

function groupIn(value: unknown = {}, path: string, names: readonly string[]): Values {
  if (isObject(value) && !(value instanceof Promise)) return value;
  throw invalidValue(path, value, `an object with ${names.join(", ")}`);
}

function optionValue(option: AnyOption, given: unknown = option.default, path: string): unknown {
  if (given === undefined) return undefined;
  try {
    const list = Array.isArray(given) ? Object.freeze([...given]) : given;
    const value = option.copy(list as never);
    if (option.accepts(value as never)) return value;
  } catch {
    // A value of another type, which the check cannot read.
  }
  throw invalidValue(path, given, option.takes);
}

/** For options that cannot be used. No secret belongs in the message. */
export const invalid = (problem: string): Fault => new Fault("invalid_option", problem);

const invalidValue = (path: string, given: unknown, takes: string): Fault =>
  invalid(`${path} is ${given instanceof Promise ? "a promise" : "invalid"}: expected ${takes}`);

/** Shorter names are too similar for a suggestion. */
const MIN_LENGTH = 4;

/** The option, or else the group, that has a word of the name, or nearly its letters. */
function meant(name: string, known: readonly string[]): string {
  const lastOf = (full: string): string => full.replace(/.*\./, "");
  const words = [name, ...name.split(/(?=[A-Z])/)].map(normalized);
  const long = known.map(lastOf).filter((one) => one.length >= MIN_LENGTH);
  const nearest = nearestOf(long, name);
  const found =
    known.find((full) => words.includes(normalized(lastOf(full)))) ??
    known.find((full) => lastOf(full) === nearest);
  return found === undefined ? "" : `: did you mean ${found}?`;
}
