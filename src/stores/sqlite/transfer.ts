import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { UserReader } from "../../core/accounts/account-store.ts";
import { Fault } from "../../core/fault.ts";
import type {
  Contents,
  ContentsReader,
  ImportBatch,
  Importer,
  ImportPoint,
  ImportRows,
} from "../../core/transfer/transfer-store.ts";
import { openExisting } from "../database-file.ts";
import { userOf } from "../rows.ts";
import { retryWhileBusy } from "./busy.ts";
import { isUpToDate, versionOf } from "./schema.ts";
import { inTransaction } from "./transaction.ts";

export type SqliteTransfer = ContentsReader & UserReader & Importer;

type Row = Record<string, SQLOutputValue>;

/** The part of the store that takes everything out of a database, or into one. */
export function transferOf(database: DatabaseSync): SqliteTransfer {
  const readUsers = database.prepare("SELECT * FROM users WHERE id > ? ORDER BY id LIMIT ?");
  const readContents = database.prepare(
    `SELECT (SELECT count(*) FROM users) AS users,
            (SELECT count(*) FROM log_entries) AS entries, ${POINT}`,
  );
  const readPoint = database.prepare(
    `SELECT EXISTS (SELECT 1 FROM users) OR EXISTS (SELECT 1 FROM log_entries) AS filled, ${POINT}`,
  );

  return {
    readUsers: ({ afterId, limit }) =>
      retryWhileBusy(() => readUsers.all(afterId, limit).map(userOf)),

    readContents: () => retryWhileBusy(() => contentsOf(readContents.get() ?? {})),

    importBatch: (batch) =>
      retryWhileBusy(() => {
        let imported = false;
        inTransaction(database, () => {
          imported = isAt(batch, readPoint.get() ?? {});
          if (imported) insert(database, batch);
        });
        return imported ? "imported" : "overtaken";
      }),
  };
}

const POINT = `(SELECT mark FROM import_mark) AS mark,
  (SELECT seq FROM sqlite_sequence WHERE name = 'log_entries') AS last_entry_id`;

function contentsOf(row: Row): Contents {
  return { ...pointOf(row), users: Number(row.users), entries: Number(row.entries) };
}

function pointOf(row: Row): ImportPoint {
  return {
    mark: row.mark === null || row.mark === undefined ? undefined : String(row.mark),
    lastEntryId: Number(row.last_entry_id ?? 0),
  };
}

/** Without counting, which takes the longer the more is there: it is asked for every batch. */
function isAt({ from }: ImportBatch, row: Row): boolean {
  const { mark, lastEntryId } = pointOf(row);
  if (mark !== from.mark || lastEntryId !== from.lastEntryId) return false;
  return mark !== undefined || row.filled === 0;
}

function insert(database: DatabaseSync, { users, entries, how, to }: ImportBatch): void {
  if (how === "start-over") database.exec("DELETE FROM users; DELETE FROM log_entries;");
  insertRows(database, { users, entries });
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

function insertRows(database: DatabaseSync, { users, entries }: ImportRows): void {
  const insertUser = database.prepare(
    "INSERT INTO users (id, username, password_hash, sessions_from) VALUES (?, ?, ?, ?)",
  );
  for (const { id, username, passwordHash, sessionsFrom } of users) {
    insertUser.run(id, username, passwordHash, sessionsFrom ?? null);
  }
  const insertEntry = database.prepare(
    "INSERT INTO log_entries (id, at, type, summary, author) VALUES (?, ?, ?, ?, ?)",
  );
  for (const { id, at, type, summary, author } of entries) {
    insertEntry.run(id, at.getTime(), type, summary, author);
  }
}

/**
 * Throws where opening the database would change what is in it: for one that is only to be read,
 * or that may turn out to be the wrong one. Writes nothing itself.
 */
export async function refuseOtherSchema(file: string, empty: "take" | "refuse"): Promise<void> {
  const database = openExisting(file);
  try {
    await retryWhileBusy(() => {
      const version = versionOf(database);
      if (version === 0 && empty === "take") return;
      if (version === 0)
        throw new Fault("database_missing", "there are no tables of Latchkey in it");
      if (isUpToDate(database)) return;
      throw new Fault(
        "schema_other",
        `it has schema ${version}, which this Latchkey does not copy: start the newer of the two Latchkeys on it once, and copy with that`,
      );
    });
  } finally {
    database.close();
  }
}
