import { randomUUID } from "node:crypto";
import type { AccountChanges, ExtraStore } from "../../core/accounts/account-store.ts";
import { codeOf } from "../../core/base/fault.ts";
import type { UserId } from "../../core/store.ts";
import { EXTRA_COLUMNS, USER_COLUMNS, userOf } from "../rows.ts";
import { type Ask, type PostgresPool, retryingConflicts } from "./query.ts";
import { EQ, PLUS, type Tables } from "./tables.ts";
import { inTransaction } from "./transaction.ts";

const UNIQUE_VIOLATION = "23505";

/** Whether a username or an ID is already in use. */
export const isTaken = (error: unknown): boolean => codeOf(error) === UNIQUE_VIOLATION;

/** Always increases, so that a clock that is behind, or the same second, cannot revive a session. */
const raised = (before: string, from: string): string => `greatest(${before}, ${from} ${PLUS} 1)`;

/** The methods that change accounts. */
export function accountsOn(
  pool: PostgresPool,
  ask: Ask,
  { users, sessions, configured }: Tables,
): AccountChanges & ExtraStore {
  return {
    async insertUser({ username, passwordHash }) {
      const id = randomUUID() as UserId;
      const text = `INSERT INTO ${users} (id, username, password_hash) VALUES ($1, $2, $3)
        ON CONFLICT (username) DO NOTHING RETURNING id`;
      const rows = await ask(text, [id, username, passwordHash]);
      return rows.length === 1 ? { id, username } : undefined;
    },

    async renameUser(id, username) {
      try {
        const text = `UPDATE ${users} SET username = $2 WHERE id ${EQ} $1 RETURNING id`;
        return (await ask(text, [id, username])).length === 1 ? "renamed" : "missing";
      } catch (error) {
        if (isTaken(error)) return "taken";
        throw error;
      }
    },

    removeUser: (id) =>
      inTransaction(pool, async (askHere) => {
        // Serialises removals: when the last two users are removed at the same time, one stays.
        await askHere(`SELECT FROM ${configured} FOR UPDATE`);
        const removed = await askHere(
          `DELETE FROM ${users} WHERE id = $1
           AND EXISTS (SELECT FROM ${users} AS other WHERE other.id <> $1) RETURNING id`,
          [id],
        );
        if (removed.length === 1) return "removed";
        const [found] = await askHere(`SELECT id FROM ${users} WHERE id = $1`, [id]);
        return found === undefined ? "missing" : "last";
      }),

    async endSessions(of, before) {
      // The lock on the row makes `was` what the update has found, also after another one.
      const text = `WITH was AS (
          SELECT ${USER_COLUMNS} FROM ${users} WHERE id ${EQ} $1 FOR NO KEY UPDATE
        ), gone AS (
          DELETE FROM ${sessions} WHERE user_id ${EQ} $1
        )
        UPDATE ${users} AS now SET sessions_from = ${raised("$2", "now.sessions_from")}
        FROM was WHERE now.id ${EQ} was.id RETURNING was.*, now.sessions_from AS raised`;
      const [row] = await retryingConflicts(() => ask(text, [of, before]));
      return row && { was: userOf(row), sessionsFrom: Number(row.raised) };
    },

    endAllSessions: (before) =>
      inTransaction(pool, async (askHere) => {
        const [row] = await askHere(
          `WITH ended AS (
             UPDATE ${users} SET sessions_from = ${raised("$1", "sessions_from")} RETURNING 1
           ), gone AS (
             DELETE FROM ${sessions}
           ) SELECT count(*) AS users FROM ended`,
          [before],
        );
        return Number(row?.users);
      }),

    async replaceExtra(id, extra, from, to) {
      const column = EXTRA_COLUMNS[extra];
      const text = `UPDATE ${users} SET ${column} = $3 WHERE id ${EQ} $1
        AND (${column} ${EQ} $2 OR (${column} IS NULL AND $2::pg_catalog.text IS NULL)) RETURNING id`;
      return (await ask(text, [id, from ?? null, to ?? null])).length === 1;
    },

    async hasExtra(extra) {
      const text = `SELECT EXISTS (SELECT FROM ${users} WHERE ${EXTRA_COLUMNS[extra]} IS NOT NULL) AS yes`;
      const [row] = await ask(text);
      return row?.yes === true;
    },
  };
}
