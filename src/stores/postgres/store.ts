import { randomUUID } from "node:crypto";
import type { AccountStore } from "../../core/accounts/account-store.ts";
import type { LogPruner, LogReader } from "../../core/log-reader.ts";
import type { AttemptCounter } from "../../core/shared-limiter.ts";
import type { UserId } from "../../core/store.ts";
import { userOf } from "../rows.ts";
import { accountsOn } from "./accounts.ts";
import { attemptCounter } from "./attempts.ts";
import { logOn } from "./log.ts";
import { createPool } from "./pool.ts";
import { createAsk, type PostgresPool, retryingConflicts } from "./query.ts";
import { migrate } from "./schema.ts";
import { EQ, type Tables, tablesIn } from "./tables.ts";
import { type PostgresTransfer, transferOn } from "./transfer.ts";
import { watchUsers } from "./watch-users.ts";

/** For missing tables: create them (the default), or throw `database_missing`. */
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
        /**
         * A pool of the `pg` package with at least two connections, of which one listens for changes.
         * You must end it yourself, after closing the store.
         */
        readonly pool: PostgresPool;
      }
  );

export interface PostgresStore
  extends AccountStore,
    LogReader,
    LogPruner,
    AttemptCounter,
    PostgresTransfer {
  close(): Promise<void>;
}

/**
 * Opens a store in a PostgreSQL database, which several instances can share. Each call returns or
 * throws an `Unavailable` within two seconds.
 */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStore> {
  const { missing = "create" } = options;
  if ("pool" in options) {
    const schema = await migrate(options.pool, missing);
    return storeOn(options.pool, tablesIn(schema), async () => {});
  }
  const pool = createPool(options.url);
  try {
    const schema = await migrate(pool, missing);
    return storeOn(pool, tablesIn(schema), () => pool.end());
  } catch (error) {
    await pool.end();
    throw error;
  }
}

const USER = "id, username, password_hash, sessions_from";

function storeOn(pool: PostgresPool, tables: Tables, end: () => Promise<void>): PostgresStore {
  const ask = createAsk(pool);
  const { users, configured } = tables;

  return {
    async hasUsers() {
      const [row] = await ask({ text: `SELECT EXISTS (SELECT FROM ${users}) AS yes` });
      return row?.yes === true;
    },

    async findUser(id) {
      if (isUnstorable(id)) return undefined;
      const [row] = await ask({
        name: "latchkey_find_user",
        text: `SELECT ${USER} FROM ${users} WHERE id ${EQ} $1`,
        values: [id],
      });
      return row && userOf(row);
    },

    async findUserByUsername(username) {
      if (isUnstorable(username)) return undefined;
      const [row] = await ask({
        name: "latchkey_find_user_by_username",
        text: `SELECT ${USER} FROM ${users} WHERE username ${EQ} $1`,
        values: [username],
      });
      return row && userOf(row);
    },

    async insertFirstUser({ username, passwordHash }) {
      const id = randomUUID() as UserId;
      // Only one concurrent caller can insert this key, at any isolation level.
      const insert = {
        text: `WITH first AS (
                 INSERT INTO ${configured} VALUES (true) ON CONFLICT DO NOTHING RETURNING yes
               )
               INSERT INTO ${users} (id, username, password_hash)
               SELECT $1, $2, $3 FROM first
               WHERE NOT EXISTS (SELECT FROM ${users}) RETURNING id`,
        values: [id, username, passwordHash],
      };
      const rows = await retryingConflicts(() => ask(insert));
      return rows.length === 1 ? { id, username } : undefined;
    },

    async replacePasswordHash(id, from, to) {
      const rows = await ask({
        text: `UPDATE ${users} SET password_hash = $3
               WHERE id ${EQ} $1 AND password_hash ${EQ} $2
               RETURNING id`,
        values: [id, from, to],
      });
      return rows.length === 1;
    },

    ...logOn(ask, tables),
    ...accountsOn(pool, ask, tables),
    ...attemptCounter(ask, tables),
    ...transferOn(pool, tables),
    watchUsers: (watching) => watchUsers(pool, watching),
    close: end,
  };
}

/** PostgreSQL text cannot contain NUL, so no stored value matches. */
const isUnstorable = (text: string): boolean => text.includes("\0");
