import type { LogEntry } from "../core/log-reader.ts";
import type { NewLogEntry, PasswordHash, StoredUser, UserId } from "../core/store.ts";

/** A row as a database hands it over, whichever one it is. */
export type StoredRow = Readonly<Record<string, unknown>>;

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

/** Milliseconds in SQLite, a date or a text in PostgreSQL. */
function timeOf(at: unknown): Date {
  if (at instanceof Date) return at;
  return new Date(typeof at === "string" ? at : Number(at));
}
