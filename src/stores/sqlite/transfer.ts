import type { DatabaseSync } from "node:sqlite";
import type { UserReader } from "../../core/accounts/account-store.ts";
import type { LogEntry } from "../../core/log-reader.ts";
import type { NewLogEntry, StoredUser } from "../../core/store.ts";
import type {
  ContentsReader,
  ImportBatch,
  Importer,
  ImportPoint,
  RecordImporter,
  TakenUser,
} from "../../core/transfer/transfer-store.ts";
import { type StoredRow, userOf } from "../rows.ts";
import { inTransaction, retryWhileBusy } from "./locking.ts";

export interface SqliteTransfer extends ContentsReader, UserReader, Importer, RecordImporter {}

/** The methods that read the whole database, or add many rows to it. */
export function transferOf(database: DatabaseSync): SqliteTransfer {
  const readUsers = database.prepare("SELECT * FROM users WHERE id > ? ORDER BY id LIMIT ?");
  const readContents = database.prepare(
    `SELECT (SELECT count(*) FROM users) AS users,
            (SELECT count(*) FROM log_entries) AS entries, ${POINT}`,
  );
  const readPoint = database.prepare(
    `SELECT EXISTS (SELECT 1 FROM users) OR EXISTS (SELECT 1 FROM log_entries) AS filled, ${POINT}`,
  );
  const withName = database.prepare("SELECT 1 FROM users WHERE username = ?");
  const withId = database.prepare("SELECT 1 FROM users WHERE id = ?");

  return {
    readUsers: ({ afterId, limit }) =>
      retryWhileBusy(() => readUsers.all(afterId, limit).map(userOf)),

    readContents: () =>
      retryWhileBusy(() => {
        const row = readContents.get() ?? {};
        return { ...pointOf(row), users: Number(row.users), entries: Number(row.entries) };
      }),

    importBatch: (batch) =>
      retryWhileBusy(() => {
        let imported = false;
        inTransaction(database, () => {
          imported = isAt(batch, readPoint.get() ?? {});
          if (imported) insertBatch(database, batch);
        });
        return imported ? "imported" : "overtaken";
      }),

    findTaken: (users) =>
      retryWhileBusy(() =>
        users.flatMap(({ id, username }): readonly TakenUser[] => {
          if (withName.get(username) !== undefined) return [{ id, taken: "username" }];
          return withId.get(id) === undefined ? [] : [{ id, taken: "id" }];
        }),
      ),

    async importRecords(rows) {
      const insert = rowInserter(database, "IGNORE");
      try {
        await retryWhileBusy(() =>
          inTransaction(database, () => {
            for (const page of rows()) {
              if (insert(page) < page.users.length) throw new Taken();
            }
          }),
        );
        return "imported";
      } catch (error) {
        if (error instanceof Taken) return "taken";
        throw error;
      }
    },
  };
}

/** Rolls the transaction back: a username or an ID is already in use. */
class Taken extends Error {}

const POINT = `(SELECT mark FROM import_mark) AS mark,
  (SELECT seq FROM sqlite_sequence WHERE name = 'log_entries') AS last_entry_id`;

function pointOf(row: StoredRow): ImportPoint {
  return {
    mark: row.mark === null || row.mark === undefined ? undefined : String(row.mark),
    lastEntryId: Number(row.last_entry_id ?? 0),
  };
}

/** Runs for every batch, so it does not count the rows. */
function isAt({ from }: ImportBatch, row: StoredRow): boolean {
  const { mark, lastEntryId } = pointOf(row);
  if (mark !== from.mark || lastEntryId !== from.lastEntryId) return false;
  return mark !== undefined || row.filled === 0;
}

function insertBatch(database: DatabaseSync, { how, to, ...rows }: ImportBatch): void {
  if (how === "start-over") database.exec("DELETE FROM users; DELETE FROM log_entries;");
  rowInserter(database, "ABORT")(rows);
  const raised = database
    .prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'log_entries'")
    .run(to.lastEntryId);
  if (raised.changes === 0) {
    database
      .prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('log_entries', ?)")
      .run(to.lastEntryId);
  }
  database
    .prepare("INSERT OR REPLACE INTO import_mark (one, mark) VALUES (1, ?)")
    .run(to.mark ?? "");
}

interface InsertedRows {
  readonly users: readonly StoredUser[];
  /** An entry without an ID gets the next one. */
  readonly entries: readonly (NewLogEntry & Partial<Pick<LogEntry, "id">>)[];
}

/** Returns how many of the users were inserted. */
function rowInserter(
  database: DatabaseSync,
  onTakenUser: "ABORT" | "IGNORE",
): (rows: InsertedRows) => number {
  const insertUser = database.prepare(
    `INSERT OR ${onTakenUser} INTO users (id, username, password_hash, sessions_from)
     VALUES (?, ?, ?, ?)`,
  );
  const insertEntry = database.prepare(
    "INSERT INTO log_entries (id, at, type, summary, author) VALUES (?, ?, ?, ?, ?)",
  );
  return ({ users, entries }) => {
    let inserted = 0;
    for (const { id, username, passwordHash, sessionsFrom } of users) {
      const { changes } = insertUser.run(id, username, passwordHash, sessionsFrom ?? null);
      inserted += Number(changes);
    }
    for (const { id, at, type, summary, author } of entries) {
      insertEntry.run(id ?? null, at.getTime(), type, summary, author);
    }
    return inserted;
  };
}
