import { setTimeout as sleep } from "node:timers/promises";
import { eventTypes } from "../audit/events.ts";
import type { LogFilter } from "../db/queries/log.ts";
import type { LogEntry } from "../db/records.ts";
import type { StoreParts } from "../db/store.ts";
import { openStore } from "../gate/open-store.ts";
import { findChoice } from "../gate/settings/values.ts";
import { parseAge, parseDate } from "../lib/dates.ts";
import { Unavailable } from "../lib/fault.ts";
import { STORE_SETTINGS } from "./accounts.ts";
import { type Command, type OptionValues, SUCCESS, type Terminal, UsageError } from "./command.ts";
import { formatMinute, JSON_LINES, startListing } from "./listing.ts";

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
      type: findChoice(eventTypes, options.type),
      since: parseSince(options.since),
    };
    const limit = parseLimit(options.limit);
    await using store = await openStore(settings, "read");
    let last = limit === undefined ? 0 : await findStart(store.log, limit, filter);
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

/** Resolves to the `afterId` with which `read` returns the newest `limit` matching entries. */
async function findStart(
  log: StoreParts["log"],
  limit: number,
  filter: LogFilter,
): Promise<number> {
  let oldest: LogEntry | undefined;
  for (let left = limit; left > 0; left -= PAGE_SIZE) {
    const query = { ...filter, beforeId: oldest?.id, limit: Math.min(left, PAGE_SIZE) };
    oldest = (await log.newest(query)).at(-1);
    if (oldest === undefined) return 0;
  }
  return (oldest?.id ?? 1) - 1;
}

/** Waits before the next attempt if the database is unavailable. Other errors are thrown again. */
async function pauseIfUnavailable(error: unknown, terminal: Terminal): Promise<void> {
  if (!(error instanceof Unavailable)) throw error;
  terminal.complain(error.message);
  await sleep(error.retryAfterSeconds * 1_000);
}

/** Formats a time to the second, to distinguish entries of the same minute. */
const formatSecond = (at: Date): string =>
  `${formatMinute(at)}:${String(at.getSeconds()).padStart(2, "0")}`;

const LISTING = {
  columns: { TIME: 19, TYPE: 19, AUTHOR: 6, SUMMARY: 0 },
  toCells: ({ at, type, summary, author }: LogEntry) => [
    ...[formatSecond(at), type, author, summary],
  ],
  toObject: (entry: LogEntry) => entry,
} as const;

function parseLimit(value: OptionValues[string]): number | undefined {
  if (value === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(String(value))) return Number(value);
  throw new UsageError("--limit takes a whole number of at least 1");
}

function parseSince(value: OptionValues[string]): Date | undefined {
  if (value === undefined) return undefined;
  const ageMs = parseAge(String(value));
  const since = ageMs === undefined ? parseDate(String(value)) : new Date(Date.now() - ageMs);
  if (since !== undefined) return since;
  throw new UsageError(
    "--since takes an age such as 15m, 2h or 7d, or a date such as 2030-01-31T18:00",
  );
}
