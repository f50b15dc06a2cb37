import { randomUUID } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { AccountStore } from "../../core/accounts/account-store.ts";
import { Fault } from "../../core/fault.ts";
import type { LogPruner, LogReader } from "../../core/log-reader.ts";
import type { StoredUser, UserId } from "../../core/store.ts";
import { userOf } from "../rows.ts";
import { accountsOf } from "./accounts.ts";
import { createEmpty, databaseExists, explained, openExisting, restrictToOwner } from "./file.ts";
import { retryWhileBusy } from "./locking.ts";
import { logOf } from "./log.ts";
import { isUpToDate, migrate, versionOf } from "./schema.ts";
import { type SqliteTransfer, transferOf } from "./transfer.ts";
import { createUserChanges } from "./watch-users.ts";

export interface SqliteOptions {
  readonly file: string;
  /** For a missing file: create it (the default), or throw `database_missing`. */
  readonly missing?: "create" | "refuse";
}

export interface SqliteStore extends AccountStore, LogReader, LogPruner, SqliteTransfer {
  close(): void;
}

/**
 * Opens a store in one SQLite file, which several processes can share. Commits are on the disk when
 * a call returns. Only the owner of the file can read it, since it holds password hashes.
 */
export async function openSqlite(options: SqliteOptions): Promise<SqliteStore> {
  const { file, missing = "create" } = options;
  if (missing === "refuse" && !databaseExists(file)) {
    throw new Fault("database_missing", `there is no database at ${file}`);
  }
  try {
    return await openFile(file, missing);
  } catch (error) {
    throw explained(file, error);
  }
}

async function openFile(file: string, missing: "create" | "refuse"): Promise<SqliteStore> {
  if (!databaseExists(file)) createEmpty(file);
  const database = openExisting(file);
  try {
    if (missing === "refuse") await retryWhileBusy(() => refuseForeign(database, file));
    restrictToOwner(file);
    await retryWhileBusy(() => prepare(database));
    return storeOf(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Keeps Latchkey from creating its tables in an empty file or in a database of another program. */
function refuseForeign(database: DatabaseSync, file: string): void {
  if (versionOf(database) > 0) return;
  throw new Fault("database_missing", `${file} has no Latchkey tables`);
}

function prepare(database: DatabaseSync): void {
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  if (!isUpToDate(database)) migrate(database);
}

function storeOf(database: DatabaseSync): SqliteStore {
  const changes = createUserChanges(database);
  const anyUser = database.prepare("SELECT 1 FROM users LIMIT 1");
  const findUser = database.prepare("SELECT * FROM users WHERE id = ?");
  const findUserByUsername = database.prepare("SELECT * FROM users WHERE username = ?");
  // Atomic: a writing statement in SQLite holds the write lock from its start.
  const insertFirstUser = database.prepare(
    `INSERT INTO users (id, username, password_hash)
     SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM users)`,
  );
  const replacePasswordHash = database.prepare(
    "UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?",
  );
  const user = (found: StatementSync, key: string): Promise<StoredUser | undefined> =>
    retryWhileBusy(() => {
      const row = found.get(key);
      return row && userOf(row);
    });

  return {
    hasUsers: () => retryWhileBusy(() => anyUser.get() !== undefined),
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

    ...logOf(database),
    ...transferOf(database),
    ...accountsOf(database, changes.report),
    watchUsers: changes.watch,
    close: () => database.close(),
  };
}
