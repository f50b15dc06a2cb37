import { printable, printableJson } from "../files/printable.ts";
import type { CommandOption, OptionValues } from "./command.ts";
import type { Terminal } from "./terminal.ts";

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

/**
 * Returns what prints the items of a list: as columns, with a header on a terminal, or with `--json`
 * as objects. A program that reads a pipe gets the rows alone.
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
  if (terminal.ports.stdout.isTTY === true) terminal.print(line(Object.keys(columns)));
  return (items) => terminal.printAll(items.map((item) => line(cells(item))));
}
