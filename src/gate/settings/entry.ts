import type { AuthOptions, SettledOptions } from "../../options.ts";
import type { ValueKind } from "./value-kinds.ts";
import { readableFile, type Value } from "./values.ts";

type Group =
  | "Addresses"
  | "HTTPS"
  | "Data"
  | "Secrets"
  | "Sign-in and setup"
  | "Reverse proxies"
  | "Pages"
  | "Logs and metrics";

interface Described<T> {
  /** In the environment and in env files. As a flag: in lower case, with dashes. */
  readonly name: string;
  readonly group: Group;
  readonly value: Value<T>;
  readonly about: string;
  /** Not a flag, because all users of the machine can read the command line. */
  readonly flag?: "none";
  /** A secret: `NAME_FILE` may name a file that holds it, and messages do not repeat it. */
  readonly secret?: true;
}

/** One setting. `T` includes `undefined` where there is no default. */
export type Entry<T> = Described<NonNullable<T>> &
  (undefined extends T ? { readonly unset: string } : { readonly default: string });

/** A setting that the gate passes to `createAuth` as it is. */
export type OptionEntry<K extends keyof AuthOptions, T = SettledOptions[K]> = Entry<T> & {
  readonly option: K;
};

/** An entry of any type. */
export type AnyEntry = Described<unknown> & {
  readonly default?: string;
  readonly unset?: string;
  readonly option?: keyof AuthOptions;
};

/** A setting as users see it: in the environment, in an env file, or as a flag. */
export interface Setting {
  readonly name: string;
  readonly group: string;
  /** Completes the sentence "expected …". */
  readonly takes: string;
  readonly fallback: string;
  readonly about: string;
  readonly flag: string | "none";
  readonly completes: ValueKind;
}

/** The setting of an entry, and for a secret the `_FILE` setting beside it. */
export function settingsOf(entry: AnyEntry): readonly Setting[] {
  if (entry.secret !== true) return [settingOf(entry)];
  const { name, group, value } = entry;
  const lines = value.parseFile === undefined ? "" : ", one per line";
  const about = `file that contains ${name} instead${lines}`;
  const file = { name: `${name}_FILE`, group, value: readableFile, unset: "none", about };
  return [settingOf(entry), settingOf(file)];
}

function settingOf({ name, group, value, about, ...entry }: AnyEntry): Setting {
  return {
    name,
    group,
    takes: value.takes,
    fallback: entry.default || entry.unset || "none",
    about,
    flag: entry.flag ?? name.toLowerCase().replaceAll("_", "-"),
    completes: value.completes,
  };
}
