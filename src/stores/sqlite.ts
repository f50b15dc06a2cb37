import { randomUUID } from "node:crypto";
import { chmodSync, closeSync, existsSync, openSync } from "node:fs";
import { DatabaseSync, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { codeOf, Fault } from "../core/fault.ts";
import type {
  LogEntry,
  LogFilter,
  LogReader,
  PasswordHash,
  Store,
  StoredUser,
  UserId,
} from "../core/store.ts";
import { isUpToDate, migrate } from "./schema.ts";
import { retryWhileBusy } from "./sqlite-busy.ts";
import { inTransaction } from "./sqlite-transaction.ts";

export interface SqliteOptions {
  readonly file: string;
  /** What to do where the file is missing: make it (the default), or throw a `database_missing`. */
  readonly missing?: "create" | "refuse";
}

export interface SqliteStore extends Store, LogReader {
  close(): void;
}

type Row = Record<string, SQLOutputValue>;

/**
 * A store in one SQLite file that any number of processes may share. Commits are on the disk when a
 * call returns. The file holds password hashes, so only its owner may read it.
 */
export async function openSqlite(options: SqliteOptions): Promise<SqliteStore> {
  const { file, missing = "create" } = options;
  if (missing === "refuse" && !existsSync(file)) {
    throw new Fault("database_missing", `there is no database at ${file}`);
  }
  if (!existsSync(file)) createEmpty(file);
  // No waiting inside SQLite: `retryWhileBusy` waits outside, where the event loop goes on.
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    makeOwnersOnly(file);
    await retryWhileBusy(() => prepare(database));
    return storeOf(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

function createEmpty(file: string): void {
  // Where another process was faster, its file serves as well.
  tolerating("EEXIST", () => closeSync(openSync(file, "wx", 0o600)));
}

/**
 * SQLite gives new -wal and -shm files the mode of the database. Files that exist are changed by
 * path: closing a descriptor of one would drop every lock that this process already has on it.
 */
function makeOwnersOnly(file: string): void {
  for (const one of [file, `${file}-wal`, `${file}-shm`]) {
    tolerating("ENOENT", () => chmodSync(one, 0o600));
  }
}

function tolerating(expected: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (codeOf(error) !== expected) throw error;
  }
}

function prepare(database: DatabaseSync): void {
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  if (!isUpToDate(database)) migrate(database);
}

function storeOf(database: DatabaseSync): SqliteStore {
  const countUsers = database.prepare("SELECT count(*) AS count FROM users");
  const findUser = database.prepare("SELECT * FROM users WHERE id = ?");
  const findUserByUsername = database.prepare("SELECT * FROM users WHERE username = ?");
  // Atomic in SQLite, where a writing statement holds the one write lock from its start.
  const insertFirstUser = database.prepare(
    `INSERT INTO users (id, username, password_hash)
     SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM users)`,
  );
  const replacePasswordHash = database.prepare(
    "UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?",
  );
  const insertLogEntry = database.prepare(
    "INSERT INTO log_entries (at, type, summary, author) VALUES (?, ?, ?, ?)",
  );
  const user = (found: StatementSync, key: string): Promise<StoredUser | undefined> =>
    retryWhileBusy(() => userOf(found.get(key)));

  return {
    countUsers: () => retryWhileBusy(() => Number(countUsers.get()?.count)),
    findUser: (id) => user(findUser, id),
    findUserByUsername: (username) => user(findUserByUsername, username),

    insertFirstUser({ username, passwordHash }) {
      const id = randomUUID() as UserId;
      return retryWhileBusy(() => {
        const { changes } = insertFirstUser.run(id, username, passwordHash);
        return changes === 1 ? { id, username } : undefined;
      });
    },

    replacePasswordHash: (id, from, to) =>
      retryWhileBusy(() => replacePasswordHash.run(to, id, from).changes === 1),

    insertLogEntries: (entries) =>
      retryWhileBusy(() =>
        inTransaction(database, () => {
          for (const { at, type, summary, author } of entries) {
            insertLogEntry.run(at.getTime(), type, summary, author);
          }
        }),
      ),

    readLogEntries: ({ afterId, limit, ...filter }) =>
      retryWhileBusy(() => {
        const { where, values } = filterOf(filter);
        const rows = database
          .prepare(`SELECT * FROM log_entries WHERE id > ? ${where} ORDER BY id LIMIT ?`)
          .all(afterId, ...values, limit);
        return rows.map(logEntryOf);
      }),

    startOfNewest: (limit, filter) =>
      retryWhileBusy(() => {
        const { where, values } = filterOf(filter);
        const oldest = database
          .prepare(
            `SELECT id FROM log_entries WHERE id > 0 ${where} ORDER BY id DESC LIMIT 1 OFFSET ?`,
          )
          .get(...values, limit);
        return Number(oldest?.id ?? 0);
      }),

    close: () => database.close(),
  };
}

function filterOf({ type, since }: LogFilter): { where: string; values: (string | number)[] } {
  const conditions = [
    ...(type === undefined ? [] : [{ where: "AND type = ?", value: type }]),
    ...(since === undefined ? [] : [{ where: "AND at >= ?", value: since.getTime() }]),
  ];
  return {
    where: conditions.map(({ where }) => where).join(" "),
    values: conditions.map(({ value }) => value),
  };
}

function userOf(row: Row | undefined): StoredUser | undefined {
  if (row === undefined) return undefined;
  return {
    id: String(row.id) as UserId,
    username: String(row.username),
    passwordHash: String(row.password_hash) as PasswordHash,
  };
}

function logEntryOf(row: Row): LogEntry {
  return {
    id: Number(row.id),
    at: new Date(Number(row.at)),
    type: String(row.type),
    summary: String(row.summary),
    author: String(row.author),
  };
}
