import type { NewLogEntry, UserId } from "../store.ts";

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
  /** The newest entries that concern the user, newest first. */
  readNewestEntriesOf(user: UserId, limit: number): Promise<readonly LogEntry[]>;
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
 * Reads the newest entries of a user, newest first, after a flush, which takes 250 ms at most. No
 * user sees the entries of another, nor those that concern no account, such as denied sign-ins.
 */
export function recentLog(
  store: Partial<Pick<LogReader, "readNewestEntriesOf">>,
  events: { flush(): Promise<void> },
): ((user: UserId) => Promise<readonly LogEntry[]>) | undefined {
  const { readNewestEntriesOf } = store;
  if (readNewestEntriesOf === undefined) return undefined;
  return async (user) => {
    await events.flush();
    return readNewestEntriesOf.call(store, user, RECENT_ENTRIES);
  };
}
