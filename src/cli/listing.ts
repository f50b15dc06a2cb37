import { styleText } from "node:util";
import type { Settings } from "../gate/settings/settings.ts";
import { toPrintable, toPrintableJson } from "../lib/files/printable.ts";
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
  about: "print one JSON object per line, with times in UTC",
};

/**
 * Columns are measured over this number of items, so that a list of any length needs little memory.
 */
const PAGE_SIZE = 500;
/** A longer cell only moves the rest of its own row. */
const MAX_COLUMN_WIDTH = 40;

export interface Listing<T> {
  /** Contains the titles of the columns, each with its minimum width. */
  readonly columns: Readonly<Record<string, number>>;
  readonly toCells: (item: T) => readonly string[];
  readonly toObject: (item: T) => object;
}

interface ListCommand<T> extends Listing<T>, Omit<Command, "settings" | "run"> {
  /** Lists settings in addition to those that select the store. */
  readonly settings?: readonly string[];
  /** Reads the items in pages. */
  read(accounts: Accounts, options: OptionValues, settings: Settings): AsyncIterable<readonly T[]>;
}

/** Creates a command that lists data from the store. */
export const createListCommand = <T>({
  read,
  options = [],
  settings = [],
  ...list
}: ListCommand<T>): Command => ({
  ...list,
  options: [...options, JSON_LINES],
  settings: [...STORE_SETTINGS, ...settings],

  async run(settingValues, optionValues, terminal) {
    await using accounts = await openAccounts(settingValues, terminal, "read");
    const print = startListing(list, optionValues, terminal);
    const page: T[] = [];
    try {
      for await (const items of read(accounts, optionValues, settingValues)) {
        page.push(...items);
        // Items are removed before they are printed, so that a failed print is not repeated.
        if (page.length >= PAGE_SIZE) await print(page.splice(0));
      }
    } finally {
      // This also prints the items that were read before a failure.
      await print(page);
    }
    return SUCCESS;
  },
});

/**
 * Returns a function that prints items as columns, or with `--json` as objects. On a terminal, a
 * header precedes the first items. Each column is as wide as its widest cell so far.
 */
export function startListing<T>(
  { columns, toCells, toObject }: Listing<T>,
  { json }: OptionValues,
  terminal: Terminal,
): (items: readonly T[]) => Promise<void> {
  if (json === true) {
    return (items) => terminal.printAll(items.map((item) => toPrintableJson(toObject(item))));
  }
  const { stdout } = terminal.system;
  const isTerminal = stdout.isTTY === true;
  const titles = Object.keys(columns);
  const widths = Object.values(columns);
  const formatRow = (row: readonly string[]): string =>
    row.map((cell, at) => padCell(cell, at < row.length - 1 ? widths[at] : 0)).join("  ");
  let header = isTerminal ? [titles] : [];
  return async (items) => {
    const rows = items.map((item) => toCells(item).map((cell) => formatCell(cell, isTerminal)));
    for (const row of [...header, ...rows]) {
      for (const [at, cell] of row.entries()) {
        widths[at] = Math.max(widths[at] ?? 0, Math.min(measureWidth(cell), MAX_COLUMN_WIDTH));
      }
    }
    const first = header.map((row) => styleText("bold", formatRow(row), { stream: stdout }));
    header = [];
    await terminal.printAll([...first, ...rows.map(formatRow)]);
  };
}

const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const LEFT_TO_RIGHT_MARK = "\u200e";

/**
 * Formats a cell. The marks keep a terminal from reordering the columns around a name in Arabic or
 * Hebrew.
 */
function formatCell(cell: string, isTerminal: boolean): string {
  const text = toPrintable(cell) || "-";
  if (!isTerminal || !RIGHT_TO_LEFT.test(text)) return text;
  return `${LEFT_TO_RIGHT_MARK}${text}${LEFT_TO_RIGHT_MARK}`;
}

const padCell = (cell: string, width = 0): string =>
  cell + " ".repeat(Math.max(width - measureWidth(cell), 0));

const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/gu;
/** Terminals draw these characters in two columns. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/gu;
const HALF_WIDTH = /[\uff61-\uffdc]/gu;

/** Returns the number of terminal columns that the text takes. */
const measureWidth = (text: string): number =>
  [...text.replace(NO_WIDTH, "").replace(HALF_WIDTH, "x").replace(WIDE, "xx")].length;

/** Formats a time for people: to the minute, in the time zone of the process. */
export function formatMinute(at: Date): string {
  const [month, day, hour, minute] = [
    at.getMonth() + 1,
    at.getDate(),
    at.getHours(),
    at.getMinutes(),
  ].map((part) => String(part).padStart(2, "0"));
  return `${at.getFullYear()}-${month}-${day} ${hour}:${minute}`;
}

/** Formats lines with a label each. Leaves out what has no value. */
export function formatRows(rows: Readonly<Record<string, string | undefined>>): readonly string[] {
  const shown = Object.entries(rows).filter(([, value]) => value);
  const width = Math.max(...shown.map(([label]) => label.length));
  return shown.map(
    ([label, value = ""]) => `${`${label}:`.padEnd(width + 3)}${toPrintable(value)}`,
  );
}
