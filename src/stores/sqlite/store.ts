import { randomUUID } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { AccountStore } from "../../core/accounts/account-store.ts";
import { Fault } from "../../core/fault.ts";
import type { LogPruner, LogReader } from "../../core/log-reader.ts";
import type { StoredUser, UserId } from "../../core/store.ts";
import type { RecordImporter } from "../../core/transfer/transfer-store.ts";
import { explained } from "../database-access.ts";
import { createEmpty, isThere, makeOwnersOnly, openExisting } from "../database-file.ts";
import { userOf } from "../rows.ts";
import { accountsOf } from "./accounts.ts";
import { retryWhileBusy } from "./busy.ts";
import { createUserChanges } from "./changes.ts";
import { intakeOf } from "./intake.ts";
import { logOf } from "./log.ts";
import { isUpToDate, migrate, versionOf } from "./schema.ts";
import { type SqliteTransfer, transferOf } from "./transfer.ts";

export interface SqliteOptions {
  readonly file: string;
  /** What to do where the file is missing: make it (the default), or throw a `database_missing`. */
  readonly missing?: "create" | "refuse";
}

export interface SqliteStore
  extends AccountStore,
    LogReader,
    LogPruner,
    SqliteTransfer,
    RecordImporter {
  close(): void;
}

/**
 * A store in one SQLite file that any number of processes may share. Commits are on the disk when a
 * call returns. The file holds password hashes, so only its owner may read it.
 */
export async function openSqlite(options: SqliteOptions): Promise<SqliteStore> {
  const { file, missing = "create" } = options;
  if (missing === "refuse" && !isThere(file)) {
    throw new Fault("database_missing", `there is no database at ${file}`);
  }
  try {
    return await openThere(file, missing);
  } catch (error) {
    throw explained(file, error);
  }
}

async function openThere(file: string, missing: "create" | "refuse"): Promise<SqliteStore> {
  if (!isThere(file)) createEmpty(file);
  const database = openExisting(file);
  try {
    if (missing === "refuse") await retryWhileBusy(() => refuseOther(database, file));
    makeOwnersOnly(file);
    await retryWhileBusy(() => prepare(database));
    return storeOf(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** An empty file, or one of another program, is no reason to make tables in it. */
function refuseOther(database: DatabaseSync, file: string): void {
  if (versionOf(database) > 0) return;
  throw new Fault("database_missing", `there are no tables of Latchkey in ${file}`);
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
  // Atomic in SQLite, where a writing statement holds the one write lock from its start.
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
    ...accountsOf(database, changes.told),
    ...intakeOf(database),
    watchUsers: changes.watch,
    close: () => database.close(),
  };
}
