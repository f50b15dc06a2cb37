import type { LogEntry, NewLogEntry, UserId } from "../records.ts";

export interface LogStore {
  /**
   * Inserts all entries or none, in the given order. An entry that is passed again after a failure
   * with an unknown outcome is inserted once.
   */
  insert(entries: readonly NewLogEntry[]): Promise<void>;
  /** Those that match, the oldest first. */
  read(query: LogQuery): Promise<readonly LogEntry[]>;
  /** Those that match, the newest first. */
  newest(query: NewestQuery): Promise<readonly LogEntry[]>;
  /** Whether an entry like this one, of the same user, is among the newest 1,000 and has an earlier time. */
  hasEarlier(entry: SoughtEntry): Promise<boolean>;
  /** Removes at most `limit` entries older than `before`, and returns how many it removed. */
  prune(before: Date, limit: number): Promise<number>;
  /** Removes the oldest entries of a type, at most `limit`, and keeps the newest `keep` of them. */
  pruneType(type: string, keep: number, limit: number): Promise<number>;
}

/** Another entry is like it if it agrees in everything but the time. */
export interface SoughtEntry {
  readonly userId: UserId;
  readonly type: string;
  readonly address?: string | undefined;
  readonly device?: string | undefined;
  readonly at: Date;
}

export interface LogFilter {
  readonly type?: string | undefined;
  readonly since?: Date | undefined;
}

export interface LogQuery extends LogFilter {
  readonly afterId: number;
  readonly limit: number;
}

export interface NewestQuery extends LogFilter {
  /** Only those that concern this user. */
  readonly userId?: UserId | undefined;
  readonly beforeId?: number | undefined;
  readonly limit: number;
}
