import { MAX_WAITING } from "../core/log/event-log.ts";
import type { LogEntry } from "../core/log/log-reader.ts";
import type { StoredSession } from "../core/sessions/session-store.ts";
import {
  EXTRAS,
  type Extra,
  type PasswordHash,
  type TransferUser,
  type User,
  type UserId,
} from "../core/store.ts";
import type { Amounts, TakenUser } from "../core/transfer/transfer-store.ts";

/** A row as the database driver returns it. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * How many of the earliest entries since a time are searched for the lowest ID. Entries are written
 * nearly in the order of their times: an instance holds back fewer than that.
 */
export const EARLIEST_ENTRIES: number = MAX_WAITING + 1;

/** The columns of the extras. */
export const EXTRA_COLUMNS: Readonly<Record<Extra, string>> = {
  endedSessions: "ended_sessions",
  codes: "codes",
  passkeys: "passkeys",
};

/** All columns of the table of users, in the order of `userValues`. */
export const USER_COLUMNS: string = [
  "id",
  "username",
  "password_hash",
  "sessions_from",
  ...Object.values(EXTRA_COLUMNS),
].join(", ");

export const userValues = (user: TransferUser): readonly (string | number | null)[] => [
  user.id,
  user.username,
  user.passwordHash,
  user.sessionsFrom ?? null,
  ...EXTRAS.map((extra) => user[extra] ?? null),
];

/** With the sessions if the query has selected them. */
export function userOf(row: Row): TransferUser {
  const extras = EXTRAS.flatMap((extra) => {
    const value = row[EXTRA_COLUMNS[extra]];
    return typeof value === "string" ? [[extra, value]] : [];
  });
  return {
    id: String(row.id) as UserId,
    username: String(row.username),
    passwordHash: String(row.password_hash) as PasswordHash,
    ...(row.sessions_from === null ? {} : { sessionsFrom: Number(row.sessions_from) }),
    ...Object.fromEntries(extras),
    ...(typeof row.sessions === "string" ? { sessions: row.sessions } : {}),
  };
}

/** All columns of the table of sessions. */
export const SESSION_COLUMNS = "id, user_id, created_at, used_at, expires_at, address, device";

export const sessionOf = (row: Row): StoredSession => ({
  id: String(row.id),
  userId: String(row.user_id) as UserId,
  createdAt: timeOf(row.created_at),
  usedAt: timeOf(row.used_at),
  expiresAt: timeOf(row.expires_at),
  address: String(row.address),
  device: String(row.device),
});

export const logEntryOf = (row: Row): LogEntry => ({
  id: Number(row.id),
  at: timeOf(row.at),
  type: String(row.type),
  summary: String(row.summary),
  author: String(row.author),
  ...(typeof row.user_id === "string" ? { userId: row.user_id as UserId } : {}),
});

/** SQLite returns milliseconds, PostgreSQL a date or a string. */
function timeOf(at: unknown): Date {
  if (at instanceof Date) return at;
  return new Date(typeof at === "string" ? at : Number(at));
}

export const amountsOf = (row: Row): Amounts => ({
  users: Number(row.users),
  entries: Number(row.entries),
});

/** The users whose username or ID is in one of the rows. */
export function takenAmong(wanted: readonly User[], rows: readonly Row[]): readonly TakenUser[] {
  const ids = new Set(rows.map(({ id }) => id));
  const names = new Set(rows.map(({ username }) => username));
  return wanted.flatMap(({ id, username }): readonly TakenUser[] => {
    if (names.has(username)) return [{ id, taken: "username" }];
    return ids.has(id) ? [{ id, taken: "id" }] : [];
  });
}
