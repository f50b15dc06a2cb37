import { type Parser, readableFile } from "./values.ts";

/** Describes one setting. */
export interface Entry<T = unknown> {
  /** Starts a group in the documentation. The entries below belong to the same group. */
  readonly heading?: string;
  /** Replaces the name that follows from the field, such as `DATA_DIR` from `dataDir`. */
  readonly name?: string;
  readonly value: Parser<T>;
  readonly default?: string;
  /** The documentation shows this text as the default of an entry without a default. */
  readonly unset?: string;
  readonly about: string;
  /** The setting is not a flag, because all users of the machine can read the command line. */
  readonly flag?: "none";
  /**
   * Marks a secret. `NAME_FILE` may name a file that contains it, and messages do not repeat it.
   */
  readonly secret?: true;
}

/**
 * Describes an entry with its name in the environment and in env files. A flag has dashes instead
 * of underscores.
 */
export interface NamedEntry extends Entry {
  readonly name: string;
}

/** Describes a setting as users see it: in the environment, in an env file, or as a flag. */
export interface Setting
  extends Pick<NamedEntry, "name" | "about">,
    Pick<Parser<unknown>, "takes" | "completes"> {
  readonly group: string;
  readonly fallback: string;
  readonly flag: string | "none";
}

/** Lists the settings of all entries. Each secret is followed by its `_FILE` setting. */
export function listSettings(entries: readonly NamedEntry[]): readonly Setting[] {
  let group = "";
  return entries.flatMap((entry) => {
    group = entry.heading ?? group;
    if (entry.secret !== true) return [toSetting(entry, group)];
    const { name, value } = entry;
    const lines = value.parseFile === undefined ? "" : ", one per line";
    const about = `file that contains ${name} instead${lines}`;
    const file = { name: `${name}_FILE`, value: readableFile, about };
    return [toSetting(entry, group), toSetting(file, group)];
  });
}

const toSetting = ({ value, ...entry }: NamedEntry, group: string): Setting => ({
  ...{ ...value, ...entry, group },
  fallback: entry.default || entry.unset || "none",
  flag: entry.flag ?? entry.name.toLowerCase().replaceAll("_", "-"),
});
