import type { DatabaseSync } from "node:sqlite";
import type { NewRows, TransferStore } from "../../core/transfer/transfer-store.ts";
import {
  amountsOf,
  SESSION_COLUMNS,
  takenAmong,
  USER_COLUMNS,
  userOf,
  userValues,
} from "../rows.ts";
import { type Ask, isTaken, retryWhileBusy } from "./locking.ts";

/** The methods that read the whole database, or add many rows to it. */
export function transferOn(database: DatabaseSync, ask: Ask): TransferStore {
  return {
    async readUsers({ afterId, limit }) {
      const text = `SELECT *, ${SESSIONS} AS sessions FROM users WHERE id > ? ORDER BY id LIMIT ?`;
      return (await ask(text, [afterId, limit])).map(userOf);
    },

    readContents: async () => amountsOf((await ask(COUNTS))[0] ?? {}),

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

    async importRecords(rows, into = "any") {
      // Not `inTransaction`, since reading the rows may wait.
      await retryWhileBusy(() => database.exec("BEGIN IMMEDIATE"));
      try {
        if (into === "empty" && hasRows(database)) return "taken";
        for await (const page of rows) insertRows(database, page);
        database.exec("COMMIT");
        return "imported";
      } catch (error) {
        if (isTaken(error)) return "taken";
        throw error;
      } finally {
        if (database.isTransaction) database.exec("ROLLBACK");
      }
    },
  };
}

const COUNTS = `SELECT (SELECT count(*) FROM users) AS users,
  (SELECT count(*) FROM log_entries) AS entries`;

function hasRows(database: DatabaseSync): boolean {
  const { users, entries } = amountsOf(database.prepare(COUNTS).get() ?? {});
  return users + entries > 0;
}

/** The sessions of a row of the table of users, as `SessionRow`s. */
const SESSIONS = `(SELECT json_group_array(
    json_array(id, created_at, used_at, expires_at, address, device) ORDER BY id)
  FROM sessions WHERE user_id = users.id HAVING count(*) > 0)`;

/** Runs in a transaction. */
export function insertRows(database: DatabaseSync, { users, entries }: NewRows): void {
  const insertUser = database.prepare(
    `INSERT INTO users (${USER_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertSessions = database.prepare(
    `INSERT INTO sessions (${SESSION_COLUMNS})
     SELECT value ->> 0, ?, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5
     FROM json_each(?) WHERE true ON CONFLICT (id) DO NOTHING`,
  );
  const insertEntry = database.prepare(
    "INSERT INTO log_entries (at, type, summary, author, user_id) VALUES (?, ?, ?, ?, ?)",
  );
  for (const user of users) {
    insertUser.run(...userValues(user));
    if (user.sessions !== undefined) insertSessions.run(user.id, user.sessions);
  }
  for (const { at, type, summary, author, userId } of entries) {
    insertEntry.run(at.getTime(), type, summary, author, userId ?? null);
  }
}
