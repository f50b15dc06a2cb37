import { setTimeout as sleep } from "node:timers/promises";
import { parseDate } from "../core/base/dates.ts";
import { Unavailable } from "../core/base/fault.ts";
import { eventTypes } from "../core/log/events.ts";
import type { LogEntry } from "../core/records.ts";
import { openStore } from "../gate/open-store.ts";
import { chosen } from "../gate/settings/values.ts";
import { STORE_SETTINGS } from "./accounts.ts";
import { type Command, type OptionValues, SUCCESS, type Terminal, UsageError } from "./command.ts";
import { JSON_LINES, startListing } from "./listing.ts";

const PAGE_SIZE = 1_000;
const POLL_EVERY_MS = 250;

export const command: Command = {
  details: "Prints the entries oldest first.",
  options: [
    JSON_LINES,
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
  settings: STORE_SETTINGS,
  examples: ["latchkey log --since 2h --type signin_rate_limited", "latchkey log --follow --json"],

  async run(settings, options, terminal) {
    const filter = {
      type: chosen(eventTypes, options.type),
      since: parseSince(options.since, Date.now()),
    };
    const limit = parseLimit(options.limit);
    await using store = await openStore(settings, "read");
    let last = limit === undefined ? 0 : await store.log.startOfNewest(limit, filter);
    const print = startListing(LISTING, options, terminal);
    const printNew = async (): Promise<void> => {
      for (;;) {
        const page = await store.log.read({ ...filter, afterId: last, limit: PAGE_SIZE });
        await print(page);
        last = page.at(-1)?.id ?? last;
        if (page.length < PAGE_SIZE) return;
      }
    };
    await printNew();
    while (options.follow === true) {
      await sleep(POLL_EVERY_MS);
      await printNew().catch((error) => pauseIfUnavailable(error, terminal));
    }
    return SUCCESS;
  },
};

/** Following continues once the database is available again. Other errors are thrown again. */
async function pauseIfUnavailable(error: unknown, terminal: Terminal): Promise<void> {
  if (!(error instanceof Unavailable)) throw error;
  terminal.complain(error.message);
  await sleep(error.retryAfterSeconds * 1_000);
}

const LISTING = {
  columns: { TIME: 24, TYPE: 19, AUTHOR: 6, SUMMARY: 0 },
  cells: ({ at, type, summary, author }: LogEntry) => [at.toISOString(), type, author, summary],
  object: (entry: LogEntry) => entry,
} as const;

function parseLimit(value: OptionValues[string]): number | undefined {
  if (value === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(String(value))) return Number(value);
  throw new UsageError("--limit takes a whole number of at least 1");
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1e3, m: 60e3, h: 3600e3, d: 86_400e3 };

/** An age such as `2h`, or a date with an optional time, which is local unless it names a zone. */
export function parseSince(value: OptionValues[string], now: number): Date | undefined {
  if (value === undefined) return undefined;
  const [, number, unit = ""] = /^(\d{1,6})([smhd])$/.exec(String(value)) ?? [];
  if (number !== undefined) return new Date(now - Number(number) * (UNIT_MS[unit] ?? 0));
  const date = parseDate(String(value));
  if (date !== undefined) return date;
  throw new UsageError(
    "--since takes an age such as 15m, 2h or 7d, or a date such as 2030-01-31T18:00",
  );
}
