import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { UserId } from "../../core/records.ts";
import type { UserStore } from "../../core/store.ts";
import { tables, type Value, valuesOf } from "../../core/tables.ts";
import { parametersOf } from "../rows.ts";
import type { Database } from "../statements/sql.ts";
import { COLUMNS, endOfSessions, insertedUser, RAISED, usersOn } from "../statements/users.ts";
import { inSqlite, inTransaction } from "./locking.ts";

/** @param changed Is called for each changed user. */
export function sqliteUsers(
  database: DatabaseSync,
  shared: Database,
  changed: (id: UserId | "all") => void,
): UserStore {
  const { ask } = shared;
  return {
    ...usersOn(shared),

    async insertFirst(user) {
      const row = valuesOf(tables.users, { ...user, id: randomUUID() as UserId });
      // Atomic: a writing statement in SQLite holds the write lock from its start.
      const rows = await ask(
        `INSERT INTO {users} (${COLUMNS}) SELECT ${parametersOf(tables.users)}
         WHERE NOT EXISTS (SELECT 1 FROM {users}) RETURNING ${COLUMNS}`,
        row,
      );
      return rows.map(insertedUser)[0];
    },

    async endSessions(id, before, asker) {
      const run = (text: string, ...values: readonly Value[]) =>
        database.prepare(inSqlite(text)).get(...values);
      const ended = await inTransaction(database, () => {
        const was = run("SELECT sessions_from FROM {users} WHERE id == $1", id);
        if (was === undefined) return undefined;
        const gone = run(
          "SELECT 1 FROM {sessions} WHERE id == $1 AND ended_at IS NOT NULL",
          asker?.id ?? null,
        );
        const now = run(
          `UPDATE {users} AS now SET sessions_from = ${RAISED} WHERE id == $2
           RETURNING sessions_from`,
          before,
          id,
        );
        run("DELETE FROM {sessions} WHERE user_id == $1 AND ended_at IS NULL", id);
        const until = { from: was.sessions_from, ended: gone !== undefined };
        return endOfSessions(now?.sessions_from, until, asker);
      });
      changed(id);
      return ended;
    },

    async endAllSessions(before) {
      const { changes } = await inTransaction(database, () => {
        database.exec(inSqlite("DELETE FROM {sessions} WHERE ended_at IS NULL"));
        const text = `UPDATE {users} AS now SET sessions_from = ${RAISED}`;
        return database.prepare(inSqlite(text)).run(before);
      });
      changed("all");
      return Number(changes);
    },
  };
}
