import { printable, printableJson } from "../files/printable.ts";
import type { Settings } from "../gate/settings/settings.ts";
import { type Accounts, openAccounts, STORE_SETTINGS } from "./accounts.ts";
import {
  type Command,
  type CommandOption,
  type OptionValues,
  SUCCESS,
  type Terminal,
} from "./command.ts";

export const JSON_LINES: CommandOption = {
  name: "json",
  about: "print one JSON object per line",
};

interface Listing<T> {
  /** The titles of the columns, each with its width. */
  readonly columns: Readonly<Record<string, number>>;
  readonly cells: (item: T) => readonly string[];
  readonly object: (item: T) => object;
}

interface ListCommand<T> extends Listing<T>, Omit<Command, "settings" | "run"> {
  /** Beside those that select the store. */
  readonly settings?: readonly string[];
  /** The items in pages. */
  read(accounts: Accounts, options: OptionValues, settings: Settings): AsyncIterable<readonly T[]>;
}

/** A command that lists what the store has. */
export const listCommand = <T>({
  read,
  options = [],
  settings = [],
  ...list
}: ListCommand<T>): Command => ({
  ...list,
  options: [...options, JSON_LINES],
  settings: [...STORE_SETTINGS, ...settings],

  async run(values, given, terminal) {
    await using accounts = await openAccounts(values, terminal, "read");
    const print = startListing(list, given, terminal);
    for await (const items of read(accounts, given, values)) await print(items);
    await print([]);
    return SUCCESS;
  },
});

/**
 * Returns what prints the items of a list: as columns, with a header on a terminal before the first
 * ones, or with `--json` as objects. A program that reads a pipe gets the rows alone.
 */
export function startListing<T>(
  { columns, cells, object }: Listing<T>,
  { json }: OptionValues,
  terminal: Terminal,
): (items: readonly T[]) => Promise<void> {
  if (json === true) {
    return (items) => terminal.printAll(items.map((item) => printableJson(object(item))));
  }
  const widths = Object.values(columns);
  const line = (row: readonly string[]): string =>
    printable(row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  "));
  const header = terminal.ports.stdout.isTTY === true ? [line(Object.keys(columns))] : [];
  return (items) =>
    terminal.printAll([...header.splice(0), ...items.map((item) => line(cells(item)))]);
}
