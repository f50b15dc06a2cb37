import { randomUUID } from "node:crypto";
import type { AccountStore } from "../../core/accounts/account-store.ts";
import type { AttemptCounter } from "../../core/limits/shared-limiter.ts";
import type { LogPruner, LogReader } from "../../core/log/log-reader.ts";
import type { SessionStore } from "../../core/sessions/session-store.ts";
import type { Store, UserId } from "../../core/store.ts";
import type { TransferStore } from "../../core/transfer/transfer-store.ts";
import { USER_COLUMNS, userOf } from "../rows.ts";
import { accountsOn } from "./accounts.ts";
import { attemptCounter } from "./attempts.ts";
import { IDENTITY, identityOf } from "./identity.ts";
import { logOn } from "./log.ts";
import { olderSchemas } from "./older-schemas.ts";
import { createPool } from "./pool.ts";
import {
  type Ask,
  createAsk,
  DatabaseUnavailable,
  type PostgresPool,
  retryingConflicts,
} from "./query.ts";
import { migrate } from "./schema.ts";
import { sessionsOn } from "./sessions.ts";
import { EQ, type Tables, tablesLater } from "./tables.ts";
import { transferOn } from "./transfer.ts";
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
    TransferStore,
    SessionStore {
  /** The schemas of older versions of Latchkey that are connected to the database. */
  olderSchemas(): Promise<readonly number[]>;
  /** What identifies the database, or `undefined` if it does not tell. */
  identity(): Promise<string | undefined>;
  close(): Promise<void>;
}

/**
 * Opens a store in a PostgreSQL database, which several instances can share. Each call returns or
 * throws an `Unavailable` within two seconds.
 */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStore> {
  const { store, open } = preparePostgres(options);
  try {
    await open();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** A store that is not open yet: until `open` has succeeded, each call throws an `Unavailable`. */
export interface UnopenedStore<S> {
  readonly store: S;
  /** May be called again after it has failed. */
  open(): Promise<void>;
}

/** As `openPostgres`, for a database that may not be there yet. */
export function preparePostgres(options: PostgresOptions): UnopenedStore<PostgresStore> {
  if ("pool" in options) return prepareOn(options.pool, options, async () => {});
  const pool = createPool(options.url);
  return prepareOn(pool, options, () => pool.end());
}

function prepareOn(
  pool: PostgresPool,
  { missing = "create" }: Missing,
  close: () => Promise<void>,
): UnopenedStore<PostgresStore> {
  const ask = createAsk(pool);
  let schema: string | undefined;
  const tables = tablesLater(() => {
    if (schema === undefined) throw new DatabaseUnavailable();
    return schema;
  });
  const store: PostgresStore = {
    ...usersOn(ask, tables),
    ...logOn(ask, tables),
    ...accountsOn(pool, ask, tables),
    ...attemptCounter(ask, tables),
    ...sessionsOn(ask, tables),
    ...transferOn(pool, tables),
    identity: () => identityOf(() => ask(IDENTITY, [String(tables.schemaVersion)])),
    watchUsers: (watching) => watchUsers(pool, watching),
    olderSchemas: () => olderSchemas(ask),
    close,
  };
  return {
    store,
    async open() {
      schema = await migrate(pool, ask, missing);
    },
  };
}

function usersOn(ask: Ask, { users, configured }: Tables): Omit<Store, "insertLogEntries"> {
  return {
    async hasUsers() {
      const [row] = await ask(`SELECT EXISTS (SELECT FROM ${users}) AS yes`);
      return row?.yes === true;
    },

    async findUser(id) {
      if (isUnstorable(id)) return undefined;
      const text = `SELECT ${USER_COLUMNS} FROM ${users} WHERE id ${EQ} $1`;
      const [row] = await ask(text, [id], "latchkey_find_user");
      return row && userOf(row);
    },

    async findUserByUsername(username) {
      if (isUnstorable(username)) return undefined;
      const text = `SELECT ${USER_COLUMNS} FROM ${users} WHERE username ${EQ} $1`;
      const [row] = await ask(text, [username], "latchkey_find_user_by_username");
      return row && userOf(row);
    },

    async insertFirstUser({ username, passwordHash }) {
      const id = randomUUID() as UserId;
      // Only one concurrent caller can insert this key, at any isolation level.
      const text = `WITH first AS (
          INSERT INTO ${configured} VALUES (true) ON CONFLICT DO NOTHING RETURNING yes
        )
        INSERT INTO ${users} (id, username, password_hash)
        SELECT $1, $2, $3 FROM first
        WHERE NOT EXISTS (SELECT FROM ${users}) RETURNING id`;
      const rows = await retryingConflicts(() => ask(text, [id, username, passwordHash]));
      return rows.length === 1 ? { id, username } : undefined;
    },

    async replacePasswordHash(id, from, to) {
      const text = `UPDATE ${users} SET password_hash = $3
        WHERE id ${EQ} $1 AND password_hash ${EQ} $2 RETURNING id`;
      return (await ask(text, [id, from, to])).length === 1;
    },
  };
}

/** PostgreSQL text cannot contain NUL, so no stored value matches. */
const isUnstorable = (text: string): boolean => text.includes("\0");
