import { type Parser, readableFile } from "./values.ts";

/** One setting. */
export interface Entry<T = unknown> {
  /** Starts a group in the documentation. The entries below belong to the same group. */
  readonly heading?: string;
  /** Unless it is that of the field: `DATA_DIR` of `dataDir`. */
  readonly name?: string;
  readonly value: Parser<T>;
  readonly default?: string;
  /** What the documentation shows as the default of an entry without one. */
  readonly unset?: string;
  readonly about: string;
  /** Not a flag, because all users of the machine can read the command line. */
  readonly flag?: "none";
  /** A secret: `NAME_FILE` may name a file that holds it, and messages do not repeat it. */
  readonly secret?: true;
}

/** An entry with its name in the environment and in env files. As a flag, that has dashes. */
export interface NamedEntry extends Entry {
  readonly name: string;
}

/** A setting as users see it: in the environment, in an env file, or as a flag. */
export interface Setting
  extends Pick<NamedEntry, "name" | "about">,
    Pick<Parser<unknown>, "takes" | "completes"> {
  readonly group: string;
  readonly fallback: string;
  readonly flag: string | "none";
}

/** The settings of all entries, and for each secret the `_FILE` setting below it. */
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
