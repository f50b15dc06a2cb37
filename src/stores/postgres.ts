import { randomUUID } from "node:crypto";
import type { AttemptCounter } from "../core/shared-limiter.ts";
import type {
  LogEntry,
  LogFilter,
  LogPruner,
  LogReader,
  NewLogEntry,
  PasswordHash,
  Store,
  StoredUser,
  UserId,
} from "../core/store.ts";
import { attemptCounter } from "./postgres-attempts.ts";
import { watchUsers } from "./postgres-changes.ts";
import { createPool } from "./postgres-pool.ts";
import { createAsk, type PostgresPool, type Row, retryingConflicts } from "./postgres-query.ts";
import { migrate } from "./postgres-schema.ts";
import { type PostgresTransfer, transferOn } from "./postgres-transfer.ts";

/** What to do where the tables are missing: make them (the default), or throw a `database_missing`. */
interface Missing {
  readonly missing?: "create" | "refuse";
}

export type PostgresOptions = Missing &
  (
    | {
        /** `postgres://user:password@host:5432/database`, several hosts separated by commas. */
        readonly url: string;
      }
    | {
        /** A pool of the `pg` package. It stays yours: end it after the store is closed. */
        readonly pool: PostgresPool;
      }
  );

export interface PostgresStore
  extends Store,
    LogReader,
    LogPruner,
    AttemptCounter,
    PostgresTransfer {
  close(): Promise<void>;
}

/**
 * A store in a PostgreSQL database that any number of instances may share. Each call ends within
 * two seconds, with what was asked for or with an `Unavailable`.
 */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStore> {
  const { missing = "create" } = options;
  if ("pool" in options) {
    await migrate(options.pool, missing);
    return storeOn(options.pool, async () => {});
  }
  const pool = createPool(options.url);
  try {
    await migrate(pool, missing);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return storeOn(pool, () => pool.end());
}

const USER = "id, username, password_hash";

function storeOn(pool: PostgresPool, end: () => Promise<void>): PostgresStore {
  const ask = createAsk(pool);
  const keys = new WeakMap<NewLogEntry, string>();

  return {
    async hasUsers() {
      const [row] = await ask({ text: "SELECT EXISTS (SELECT FROM latchkey_users) AS yes" });
      return row?.yes === true;
    },

    async findUser(id) {
      if (isUnstorable(id)) return undefined;
      const [row] = await ask({
        name: "latchkey_find_user",
        text: `SELECT ${USER} FROM latchkey_users WHERE id = $1`,
        values: [id],
      });
      return row && userOf(row);
    },

    async findUserByUsername(username) {
      if (isUnstorable(username)) return undefined;
      const [row] = await ask({
        name: "latchkey_find_user_by_username",
        text: `SELECT ${USER} FROM latchkey_users WHERE username = $1`,
        values: [username],
      });
      return row && userOf(row);
    },

    async insertFirstUser({ username, passwordHash }) {
      const id = randomUUID() as UserId;
      // The key of the first statement is the one that a single racer gets, at any isolation level.
      const insert = {
        text: `WITH first AS (
                 INSERT INTO latchkey_configured VALUES (true) ON CONFLICT DO NOTHING RETURNING yes
               )
               INSERT INTO latchkey_users (id, username, password_hash)
               SELECT $1, $2, $3 FROM first
               WHERE NOT EXISTS (SELECT FROM latchkey_users) RETURNING id`,
        values: [id, username, passwordHash],
      };
      const rows = await retryingConflicts(() => ask(insert));
      return rows.length === 1 ? { id, username } : undefined;
    },

    async replacePasswordHash(id, from, to) {
      const rows = await ask({
        text: `UPDATE latchkey_users SET password_hash = $3
               WHERE id = $1 AND password_hash = $2 RETURNING id`,
        values: [id, from, to],
      });
      return rows.length === 1;
    },

    async insertLogEntries(entries) {
      if (entries.length === 0) return;
      const keyOf = (entry: NewLogEntry): string => {
        const key = keys.get(entry) ?? randomUUID();
        keys.set(entry, key);
        return key;
      };
      await ask({
        text: `WITH log_end AS (
                 UPDATE latchkey_log_end SET id = id + $1 RETURNING id - $1 AS start
               )
               INSERT INTO latchkey_log (id, key, at, type, summary, author)
               SELECT start + place, key, at, type, summary, author
               FROM log_end, unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[])
                 WITH ORDINALITY AS entry (key, at, type, summary, author, place)
               ON CONFLICT (key) DO NOTHING`,
        values: [
          entries.length,
          entries.map(keyOf),
          entries.map(({ at }) => at.toISOString()),
          entries.map(({ type }) => type),
          entries.map(({ summary }) => summary),
          entries.map(({ author }) => author),
        ],
      });
    },

    async readLogEntries({ afterId, limit, ...filter }) {
      const { where, values } = filterOf(filter, [afterId, limit]);
      const rows = await ask({
        text: `SELECT id, at, type, summary, author FROM latchkey_log
               WHERE id > $1 ${where} ORDER BY id LIMIT $2`,
        values,
      });
      return rows.map(logEntryOf);
    },

    async startOfNewest(limit, filter) {
      const { where, values } = filterOf(filter, [limit]);
      const [row] = await ask({
        text: `SELECT id FROM latchkey_log WHERE id > 0 ${where} ORDER BY id DESC LIMIT 1 OFFSET $1`,
        values,
      });
      return Number(row?.id ?? 0);
    },

    async pruneLogEntries(before, limit) {
      const rows = await ask({
        text: `DELETE FROM latchkey_log WHERE id IN (
                 SELECT id FROM latchkey_log WHERE at < $1 ORDER BY at LIMIT $2
                 FOR UPDATE SKIP LOCKED
               ) RETURNING id`,
        values: [before, limit],
      });
      return rows.length;
    },

    ...attemptCounter(ask),
    ...transferOn(pool, userOf),
    watchUsers: (watching) => watchUsers(pool, watching),
    close: end,
  };
}

/** PostgreSQL has no NUL in text. What cannot be stored cannot be found either. */
const isUnstorable = (text: string): boolean => text.includes("\0");

/** More than an instance holds back, so that the first of them to be written is among them. */
const EARLIEST_LOOKED_AT = 10_001;

/**
 * Entries are written nearly in the order of their times: the reading starts at the lowest ID among
 * the earliest that match, or it might go through all that is older.
 */
const sinceOf = (since: string): string =>
  `AND at >= ${since} AND id >= (SELECT min(id) FROM
     (SELECT id FROM latchkey_log WHERE at >= ${since} ORDER BY at LIMIT ${EARLIEST_LOOKED_AT})
     AS earliest)`;

function filterOf(
  { type, since }: LogFilter,
  before: readonly unknown[],
): { where: string; values: readonly unknown[] } {
  const values = [...before];
  const conditions: string[] = [];
  if (type !== undefined) conditions.push(`AND type = $${values.push(type)}`);
  if (since !== undefined) conditions.push(sinceOf(`$${values.push(since)}`));
  return { where: conditions.join(" "), values };
}

function userOf(row: Row): StoredUser {
  return {
    id: String(row.id) as UserId,
    username: String(row.username),
    passwordHash: String(row.password_hash) as PasswordHash,
  };
}

function logEntryOf(row: Row): LogEntry {
  return {
    id: Number(row.id),
    at: row.at instanceof Date ? row.at : new Date(String(row.at)),
    type: String(row.type),
    summary: String(row.summary),
    author: String(row.author),
  };
}
