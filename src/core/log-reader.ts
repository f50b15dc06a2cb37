import type { EventLog } from "./event-log.ts";
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
}

const RECENT_ENTRIES = 10;

/** Reads the newest entries, newest first, after a flush, which takes 250 ms at most. */
export function recentLog(
  store: Partial<LogReader>,
  events: EventLog,
): (() => Promise<readonly LogEntry[]>) | undefined {
  const { startOfNewest, readLogEntries } = store;
  if (startOfNewest === undefined || readLogEntries === undefined) return undefined;
  return async () => {
    await events.flush();
    const afterId = await startOfNewest.call(store, RECENT_ENTRIES, {});
    return (await readLogEntries.call(store, { afterId, limit: RECENT_ENTRIES })).toReversed();
  };
}
