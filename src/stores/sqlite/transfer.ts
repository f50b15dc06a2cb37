import type { DatabaseSync } from "node:sqlite";
import type { LogEntry } from "../../core/log-reader.ts";
import type { NewLogEntry, TransferUser } from "../../core/store.ts";
import type { ImportBatch, TransferStore } from "../../core/transfer/transfer-store.ts";
import {
  contentsOf,
  pointOf,
  SESSION_COLUMNS,
  takenAmong,
  USER_COLUMNS,
  userOf,
  userValues,
} from "../rows.ts";
import { type Ask, inTransaction, isTaken } from "./locking.ts";

/** The methods that read the whole database, or add many rows to it. */
export function transferOn(database: DatabaseSync, ask: Ask): TransferStore {
  return {
    async readUsers({ afterId, limit }) {
      const text = `SELECT *, ${SESSIONS} AS sessions FROM users WHERE id > ? ORDER BY id LIMIT ?`;
      return (await ask(text, [afterId, limit])).map(userOf);
    },

    async readContents() {
      const [row] = await ask(
        `SELECT (SELECT count(*) FROM users) AS users,
                (SELECT count(*) FROM log_entries) AS entries, ${POINT}`,
      );
      return contentsOf(row ?? {});
    },

    importBatch: (batch) =>
      inTransaction(database, () => {
        if (!isAt(database, batch)) return "overtaken";
        insertBatch(database, batch);
        return "imported";
      }),

    async findTaken(wanted) {
      const rows = await ask(
        `SELECT id, username FROM users WHERE id IN (SELECT value FROM json_each(?))
         OR username IN (SELECT value FROM json_each(?))`,
        [
          JSON.stringify(wanted.map(({ id }) => id)),
          JSON.stringify(wanted.map(({ username }) => username)),
        ],
      );
      return takenAmong(wanted, rows);
    },

    async importRecords(rows) {
      try {
        await inTransaction(database, () => {
          for (const page of rows()) insertRows(database, page);
        });
        return "imported";
      } catch (error) {
        if (isTaken(error)) return "taken";
        throw error;
      }
    },
  };
}

/** The sessions of a row of the table of users, as `SessionRow`s. */
const SESSIONS = `(SELECT json_group_array(
    json_array(id, created_at, used_at, expires_at, address, device) ORDER BY id)
  FROM sessions WHERE user_id = users.id HAVING count(*) > 0)`;

const POINT = `(SELECT mark FROM import_mark) AS mark,
  (SELECT seq FROM sqlite_sequence WHERE name = 'log_entries') AS last_entry_id`;

/** Runs for every batch, so it does not count the rows. */
function isAt(database: DatabaseSync, { from }: ImportBatch): boolean {
  const row = database
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM users) OR EXISTS (SELECT 1 FROM log_entries) AS filled, ${POINT}`,
    )
    .get();
  const { mark, lastEntryId } = pointOf(row ?? {});
  if (mark !== from.mark || lastEntryId !== from.lastEntryId) return false;
  return mark !== undefined || row?.filled === 0;
}

function insertBatch(database: DatabaseSync, { how, to, ...rows }: ImportBatch): void {
  if (how === "start-over") database.exec("DELETE FROM users; DELETE FROM log_entries;");
  insertRows(database, rows);
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
  readonly users: readonly TransferUser[];
  /** An entry without an ID gets the next one. */
  readonly entries: readonly (NewLogEntry & Partial<Pick<LogEntry, "id">>)[];
}

/** Runs in a transaction. */
export function insertRows(database: DatabaseSync, { users, entries }: InsertedRows): void {
  const insertUser = database.prepare(
    `INSERT INTO users (${USER_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertSessions = database.prepare(
    `INSERT INTO sessions (${SESSION_COLUMNS})
     SELECT value ->> 0, ?, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5
     FROM json_each(?) WHERE true ON CONFLICT (id) DO NOTHING`,
  );
  const insertEntry = database.prepare(
    "INSERT INTO log_entries (id, at, type, summary, author) VALUES (?, ?, ?, ?, ?)",
  );
  for (const user of users) {
    insertUser.run(...userValues(user));
    if (user.sessions !== undefined) insertSessions.run(user.id, user.sessions);
  }
  for (const { id, at, type, summary, author } of entries) {
    insertEntry.run(id ?? null, at.getTime(), type, summary, author);
  }
}
