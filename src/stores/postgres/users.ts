import { randomUUID } from "node:crypto";
import { codeOf } from "../../core/base/fault.ts";
import type { UserId } from "../../core/records.ts";
import type { UserStore } from "../../core/store.ts";
import { tables, valuesOf } from "../../core/tables.ts";
import { parametersOf } from "../rows.ts";
import type { Ask, Database } from "../statements/sql.ts";
import { COLUMNS, endOfSessions, insertedUser, RAISED, usersOn } from "../statements/users.ts";
import { retryingConflicts } from "./query.ts";

const UNIQUE_VIOLATION = "23505";

/** Whether a username or an ID is already in use. */
export const isTaken = (error: unknown): boolean => codeOf(error) === UNIQUE_VIOLATION;

/** @param inTransaction Runs work in a transaction. */
export function postgresUsers(
  shared: Database,
  inTransaction: <T>(work: (ask: Ask) => Promise<T>) => Promise<T>,
): UserStore {
  const { ask } = shared;
  return {
    ...usersOn(shared),

    async insertFirst(user) {
      const row = valuesOf(tables.users, { ...user, id: randomUUID() as UserId });
      // Only one concurrent caller can insert this key, at any isolation level.
      const text = `WITH first AS (
          INSERT INTO {configured} VALUES (true) ON CONFLICT DO NOTHING RETURNING yes
        )
        INSERT INTO {users} (${COLUMNS}) SELECT ${parametersOf(tables.users)} FROM first
        WHERE NOT EXISTS (SELECT 1 FROM {users}) RETURNING ${COLUMNS}`;
      const rows = await retryingConflicts(() => ask(text, row));
      return rows.map(insertedUser)[0];
    },

    async endSessions(id, before, asker) {
      // The lock on the row makes `was` what the update has found, also after another one.
      const text = `WITH was AS (
          SELECT id, sessions_from FROM {users} WHERE id == $2 FOR NO KEY UPDATE
        ), gone AS (
          DELETE FROM {sessions} WHERE user_id == $2 AND ended_at IS NULL
        )
        UPDATE {users} AS now SET sessions_from = ${RAISED} FROM was WHERE now.id == was.id
        RETURNING now.sessions_from AS raised, was.sessions_from AS was, EXISTS (
          SELECT 1 FROM {sessions} AS own WHERE own.id == $3 AND own.ended_at IS NOT NULL) AS ended`;
      const [row] = await retryingConflicts(() => ask(text, [before, id, asker?.id ?? null]));
      return row && endOfSessions(row.raised, { from: row.was, ended: row.ended === true }, asker);
    },

    endAllSessions: (before) =>
      inTransaction(async (askHere) => {
        const [row] = await askHere(
          `WITH raised AS (
             UPDATE {users} AS now SET sessions_from = ${RAISED} RETURNING 1
           ), gone AS (
             DELETE FROM {sessions} WHERE ended_at IS NULL
           ) SELECT count(*) AS users FROM raised`,
          [before],
        );
        return Number(row?.users);
      }),
  };
}
