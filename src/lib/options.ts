import { Fault } from "./fault.ts";
import { findNearest, normalizeName } from "./find-nearest.ts";
import { isObject } from "./json.ts";

/**
 * Defines the default of an option and what it accepts: `expected` completes the text "expected …",
 * and `accepts` checks a value.
 */
export interface Option<T, Given = Exclude<T, undefined>> {
  readonly default: T;
  readonly expected: string;
  readonly accepts: (value: Given) => boolean;
  /** Copies and freezes an object that an app could change later. Runs before the check. */
  readonly copy: (value: Given) => T;
}

type AnyOption = Option<unknown, never>;
/** Maps names to options and to groups of options. */
type OptionGroup = Readonly<Record<string, AnyOption | Readonly<Record<string, AnyOption>>>>;

export const defineOption = <T>(
  defaultValue: T,
  expected: string,
  accepts: Option<T>["accepts"],
  copy: Option<T>["copy"] = (input) => input,
): Option<T> => ({ default: defaultValue, expected, accepts, copy });

/** Defines an option that accepts one of two words. The first word is the default. */
export const defineChoice = <T extends string>(first: T, second: T): Option<T> =>
  defineOption(first, `${first} or ${second}`, (value) => value === first || value === second);

/** Defines an option without a default. Its check must refuse `null`. */
export const defineRequired = <T>(expected: string, accepts: Option<T>["accepts"]): Option<T> =>
  defineOption<T>(null as never, expected, accepts);

/**
 * Checks, completes, copies and freezes options. `undefined` counts as left out. A name that is not
 * an option is a fault, also in a group.
 *
 * @param expected describes what the function accepts, for the message about an input that is not
 * an object.
 * @throws {Fault} `invalid_option`, for any value that plain JavaScript can pass.
 */
export function checkOptions<T>(
  table: { readonly [Name in keyof T]: unknown },
  input: unknown,
  expected: string,
): T {
  if (!isObject(input)) throw createOptionFault(expected);
  const names = [...listOptionNames(table), ...Object.keys(table)];
  const checkGroup = (group: OptionGroup, values: Values, path: string): object => {
    for (const name of Object.keys(values)) {
      if (Object.hasOwn(group, name)) continue;
      throw createOptionFault(`${path}${name} is not an option${suggestOption(name, names)}`);
    }
    const entries = Object.entries(group).map(([name, part]) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      const full = `${path}${name}`;
      if (isOption(part)) return [name, checkValue(part, value, full)];
      return [name, checkGroup(part, readGroup(value, full, Object.keys(part)), `${full}.`)];
    });
    return Object.freeze(Object.fromEntries(entries));
  };
  return checkGroup(table as OptionGroup, input, "") as T;
}

type Values = Readonly<Record<string, unknown>>;

/** Lists the full names of the options, such as `hosts.publicUrl` in the group `hosts`. */
export const listOptionNames = (table: object): readonly string[] =>
  Object.entries(table as OptionGroup).flatMap(([name, entry]) =>
    isOption(entry) ? [name] : Object.keys(entry).map((option) => `${name}.${option}`),
  );

const isOption = (entry: OptionGroup[string]): entry is AnyOption =>
  typeof entry.accepts === "function";

function readGroup(value: unknown = {}, path: string, names: readonly string[]): Values {
  if (isObject(value) && !(value instanceof Promise)) return value;
  throw createValueFault(path, value, `an object with ${names.join(", ")}`);
}

function checkValue(spec: AnyOption, input: unknown = spec.default, path: string): unknown {
  if (input === undefined) return undefined;
  try {
    const list = Array.isArray(input) ? Object.freeze([...input]) : input;
    const value = spec.copy(list as never);
    if (spec.accepts(value as never)) return value;
  } catch {
    // The check cannot read a value of another type.
  }
  throw createValueFault(path, input, spec.expected);
}

/** Creates the fault for an invalid option. The message must not contain a secret. */
export const createOptionFault = (problem: string): Fault => new Fault("invalid_option", problem);

const createValueFault = (path: string, input: unknown, expected: string): Fault =>
  createOptionFault(
    `${path} is ${input instanceof Promise ? "a promise" : "invalid"}: expected ${expected}`,
  );

/** Shorter names are too similar for a suggestion. */
const MIN_LENGTH = 4;

/**
 * Suggests an option or a group that shares a word with the name, or else has a similar spelling.
 */
function suggestOption(name: string, names: readonly string[]): string {
  const getLastPart = (full: string): string => full.replace(/.*\./, "");
  const words = [name, ...name.split(/(?=[A-Z])/)].map(normalizeName);
  const long = names.map(getLastPart).filter((entry) => entry.length >= MIN_LENGTH);
  const nearest = findNearest(long, name);
  const suggestion =
    names.find((full) => words.includes(normalizeName(getLastPart(full)))) ??
    names.find((full) => getLastPart(full) === nearest);
  return suggestion === undefined ? "" : `: did you mean ${suggestion}?`;
}
