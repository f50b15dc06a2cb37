import { DENIAL } from "./events.ts";
import type { NewLogEntry } from "./store.ts";

export interface LogEntry extends NewLogEntry {
  /** Increases with every entry, so it is also the order of the entries. */
  readonly id: number;
}

/** A store that can read its audit log; `testLogReader` checks it. */
export interface LogReader {
  /** Oldest first. */
  readLogEntries(query: LogQuery): Promise<readonly LogEntry[]>;
  /** The `afterId` with which `readLogEntries` returns the newest `limit` matching entries. */
  startOfNewest(limit: number, filter: LogFilter): Promise<number>;
  /** The newest entries, newest first. Of those of the type `once`, only the newest counts. */
  readNewestEntries(limit: number, once: string): Promise<readonly LogEntry[]>;
}

export interface LogFilter {
  readonly type?: string | undefined;
  readonly since?: Date | undefined;
}

export interface LogQuery extends LogFilter {
  readonly afterId: number;
  readonly limit: number;
}

/** A store that can remove old entries of its audit log. */
export interface LogPruner {
  /** Removes at most `limit` entries older than `before`, and returns how many it removed. */
  pruneLogEntries(before: Date, limit: number): Promise<number>;
  /** Removes the oldest entries of a type, at most `limit`, and keeps the newest `keep` of them. */
  pruneLogEntriesOf(type: string, keep: number, limit: number): Promise<number>;
}

const RECENT_ENTRIES = 10;

/**
 * Reads the newest entries, newest first, after a flush, which takes 250 ms at most. Of the denied
 * sign-ins, which any client can cause, only the newest: a flood of them displaces no other entry.
 */
export function recentLog(
  store: Partial<Pick<LogReader, "readNewestEntries">>,
  events: { flush(): Promise<void> },
): (() => Promise<readonly LogEntry[]>) | undefined {
  const { readNewestEntries } = store;
  if (readNewestEntries === undefined) return undefined;
  return async () => {
    await events.flush();
    return readNewestEntries.call(store, RECENT_ENTRIES, DENIAL);
  };
}
