import { setTimeout as sleep } from "node:timers/promises";
import { eventTypes } from "../core/events.ts";
import { Unavailable } from "../core/fault.ts";
import type { LogEntry, LogFilter, LogReader } from "../core/log-reader.ts";
import { openStore } from "../gate/open-store.ts";
import { printable, printableJson } from "../gate/printable.ts";
import { chosen } from "../gate/settings/value-kinds.ts";
import { type Command, UsageError } from "./command.ts";
import { SUCCESS, type Terminal } from "./terminal.ts";

const PAGE_SIZE = 1_000;
const POLL_EVERY_MS = 250;

export const command: Command = {
  details: "Prints the entries oldest first.",
  options: [
    { name: "json", about: "print one JSON object per line" },
    { name: "follow", about: "keep printing new entries until interrupted" },
    {
      name: "type",
      value: "type",
      about: `only entries of this type: ${eventTypes.join(", ")}`,
      completes: eventTypes,
    },
    {
      name: "since",
      value: "when",
      about: "only entries since an age such as 90s, 15m, 2h or 7d, or since a date",
    },
    { name: "limit", value: "number", about: "only this number of the newest entries" },
  ],
  settings: ["DATA_DIR", "DATABASE_URL", "DATABASE_URL_FILE"],
  examples: ["latchkey log --since 2h --type signin_rate_limited", "latchkey log --follow --json"],

  async run(settings, options, terminal) {
    const filter = {
      type: chosen(eventTypes, options.type),
      since: parseSince(options.since, Date.now()),
    };
    const limit = parseLimit(options.limit);
    const format = options.json === true ? asJson : row;
    const store = await openStore(settings, "refuse");
    try {
      const start = limit === undefined ? 0 : await store.startOfNewest(limit, filter);
      if (format === row) terminal.printHeader(columns("TIME", "TYPE", "AUTHOR", "SUMMARY"));
      let last = await printFrom(store, start, filter, format, terminal);
      while (options.follow === true) {
        await sleep(POLL_EVERY_MS);
        last = await whileAvailable(last, terminal, () =>
          printFrom(store, last, filter, format, terminal),
        );
      }
    } finally {
      await store.close();
    }
    return SUCCESS;
  },
};

/** Returns `last` after a pause while the database is unavailable, so that --follow continues. */
async function whileAvailable(
  last: number,
  terminal: Terminal,
  print: () => Promise<number>,
): Promise<number> {
  try {
    return await print();
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    terminal.complain(error.message);
    await sleep(error.retryAfterSeconds * 1_000);
    return last;
  }
}

/** Prints all entries after an ID and returns the ID of the last one. */
async function printFrom(
  store: LogReader,
  afterId: number,
  filter: LogFilter,
  format: (entry: LogEntry) => string,
  terminal: Terminal,
): Promise<number> {
  let last = afterId;
  for (;;) {
    const entries = await store.readLogEntries({ ...filter, afterId: last, limit: PAGE_SIZE });
    await terminal.printAll(entries.map(format));
    last = entries.at(-1)?.id ?? last;
    if (entries.length < PAGE_SIZE) return last;
  }
}

const asJson = ({ id, at, type, summary, author }: LogEntry): string =>
  printableJson({ id, at: at.toISOString(), type, summary, author });

const row = ({ at, type, summary, author }: LogEntry): string =>
  columns(at.toISOString(), type, author, summary);

const columns = (time: string, type: string, author: string, summary: string): string =>
  printable(`${time.padEnd(24)}  ${type.padEnd(19)}  ${author.padEnd(6)}  ${summary}`);

type OptionValue = string | boolean | undefined;

function parseLimit(value: OptionValue): number | undefined {
  if (value === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(String(value))) return Number(value);
  throw new UsageError("--limit takes a whole number of at least 1");
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1e3, m: 60e3, h: 3600e3, d: 86_400e3 };

/** An age such as `2h`, or a date with an optional time, which is local unless it names a zone. */
export function parseSince(value: OptionValue, now: number): Date | undefined {
  if (value === undefined) return undefined;
  const [, number, unit = ""] = /^(\d{1,6})([smhd])$/.exec(String(value)) ?? [];
  if (number !== undefined) return new Date(now - Number(number) * (UNIT_MS[unit] ?? 0));
  const date = parseDate(String(value));
  if (date !== undefined) return date;
  throw new UsageError(
    "--since takes an age such as 15m, 2h or 7d, or a date such as 2030-01-31T18:00",
  );
}

function parseDate(text: string): Date | undefined {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(T.+)?$/.exec(text) ?? [];
  // JavaScript alone would read a date as UTC and accept 30 February as a day in March.
  const isDay = day !== undefined && new Date(`${day}T00:00Z`).toJSON()?.startsWith(day) === true;
  const date = new Date(`${day}${time ?? "T00:00"}`);
  return isDay && !Number.isNaN(date.getTime()) ? date : undefined;
}
