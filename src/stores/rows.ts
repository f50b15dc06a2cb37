import { MAX_WAITING } from "../core/event-log.ts";
import type { LogEntry } from "../core/log-reader.ts";
import type { NewLogEntry, PasswordHash, StoredUser, UserId } from "../core/store.ts";

/** A row as the database driver returns it. */
export type StoredRow = Readonly<Record<string, unknown>>;

/**
 * How many of the earliest entries since a time are searched for the lowest ID. Entries are written
 * nearly in the order of their times: an instance holds back fewer than that.
 */
export const EARLIEST_ENTRIES: number = MAX_WAITING + 1;

export function userOf(row: StoredRow): StoredUser {
  return {
    id: String(row.id) as UserId,
    username: String(row.username),
    passwordHash: String(row.password_hash) as PasswordHash,
    ...(row.sessions_from === null ? {} : { sessionsFrom: Number(row.sessions_from) }),
  };
}

export const logEntryOf = (row: StoredRow): LogEntry => ({
  id: Number(row.id),
  ...newLogEntryOf(row),
});

export function newLogEntryOf(row: StoredRow): NewLogEntry {
  return {
    at: timeOf(row.at),
    type: String(row.type),
    summary: String(row.summary),
    author: String(row.author),
  };
}

/** SQLite returns milliseconds, PostgreSQL a date or a string. */
function timeOf(at: unknown): Date {
  if (at instanceof Date) return at;
  return new Date(typeof at === "string" ? at : Number(at));
}
