import "../../lib/node-version.ts";
import { randomUUID } from "node:crypto";
import { Fault } from "../../lib/fault.ts";
import { checkOptions, defineChoice, defineOption } from "../../lib/options.ts";
import { createOperations } from "../operations.ts";
import type { NewLogEntry } from "../records.ts";
import { type AttemptPart, createParts, type Store } from "../store.ts";
import { tables, toRowValues } from "../tables.ts";
import { createTransfer, runSql } from "../transfer.ts";
import { forgetAttempts, type OpenPostgres, recordAttempt } from "./attempts.ts";
import { Availability } from "./availability.ts";
import { createPostgresDb, PAGE_LIMITS, PATIENT_LIMITS } from "./dialect.ts";
import { DatabaseUnavailable } from "./failures.ts";
import { insertEntries, insertRows } from "./insert-rows.ts";
import { createPool, type PostgresPool } from "./pool.ts";
import { FIND_DATABASE_ID, migrate, qualifyName } from "./schema.ts";

export type { PostgresClient, PostgresPool } from "./pool.ts";

/** `openPostgres` accepts these options. */
export type PostgresOptions = {
  /**
   * Decides what happens when tables are missing: `create` (the default) creates them, `refuse`
   * throws `database_missing`.
   */
  readonly missing?: "create" | "refuse";
} & (
  | {
      /**
       * The URL has the form `postgres://user:password@host:5432/database`. Commas separate several
       * hosts.
       */
      readonly url: string;
    }
  | {
      /**
       * The pool comes from the `pg` package. You must end it yourself, after closing the store.
       */
      readonly pool: PostgresPool;
    }
);

type SettledPostgresOptions = Required<Pick<PostgresOptions, "missing">> & {
  readonly url: string | undefined;
  readonly pool: PostgresPool | undefined;
};

const postgresOptions = {
  url: defineOption<string | undefined>(undefined, "text", (url) => typeof url === "string"),
  pool: defineOption<PostgresPool | undefined>(
    undefined,
    "a pool of the package pg",
    (pool) => typeof pool.connect === "function",
  ),
  missing: defineChoice("create", "refuse"),
};

/** `openPostgres` returns this store. */
export interface PostgresStore extends Store {
  readonly kind: "postgres";
  /** @internal */
  readonly attempts: AttemptPart;
  /**
   * Returns what identifies the database, or `undefined` if the database does not reveal it.
   * @internal
   */
  readDatabaseId(): Promise<string | undefined>;
  close(): Promise<void>;
}

/**
 * Opens a store in a PostgreSQL database, which several instances can share. Each call returns or
 * throws an `Unavailable` within two seconds.
 *
 * @example
 * ```ts
 * const store = await openPostgres({ url });
 * const auth = createAuth({ store, secret });
 * ```
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

/** Each call of the store throws an `Unavailable` until `open` has succeeded. @internal */
export interface PreparedStore<S> {
  readonly store: S;
  /** Opens the database. May be called again after a failure. */
  open(): Promise<void>;
}

/** Prepares a store like `openPostgres`, for a database that may not be available yet. @internal */
export function preparePostgres(options: PostgresOptions): PreparedStore<PostgresStore> {
  const takes = "openPostgres takes an object with url, or with pool";
  const { url, pool, missing } = checkOptions<SettledPostgresOptions>(
    postgresOptions,
    options,
    takes,
  );
  if (pool !== undefined) return prepareStore(pool, missing, async () => {});
  if (url === undefined) throw new Fault("invalid_option", takes);
  const ownedPool = createPool(url);
  return prepareStore(ownedPool, missing, () => ownedPool.end());
}

function prepareStore(
  pool: PostgresPool,
  missing: SettledPostgresOptions["missing"],
  close: () => Promise<void>,
): PreparedStore<PostgresStore> {
  const db = createPostgresDb(pool, PAGE_LIMITS, new Availability());
  const patientDb = createPostgresDb(pool, PATIENT_LIMITS, new Availability());
  let opened: OpenPostgres | undefined;
  const requireOpen = (): OpenPostgres => {
    if (opened === undefined) throw new DatabaseUnavailable();
    return opened;
  };
  const keys = new WeakMap<NewLogEntry, string>();
  const getEntryKey = (entry: NewLogEntry): string => {
    const key = keys.get(entry) ?? randomUUID();
    keys.set(entry, key);
    return key;
  };
  const operations = createOperations(requireOpen);
  const store: PostgresStore = {
    kind: "postgres",
    operations: operations.names,
    observe: operations.observe,
    ...createParts(operations, async (database, entries) => {
      const rows = entries.map((entry) => toRowValues(tables.log, entry));
      await insertEntries(database, rows, entries.map(getEntryKey));
    }),
    attempts: {
      record: operations.define("attempts.record", recordAttempt),
      forget: operations.define("attempts.forget", forgetAttempts),
    },
    transfer: createTransfer({
      db: () => requireOpen().patientDb,
      insertRows: (trx, rows) => insertRows({ ...requireOpen(), db: trx }, rows),
    }),
    async readDatabaseId() {
      const name = requireOpen().getTableName("schema");
      const [row] = await runSql(db, FIND_DATABASE_ID, [name]).catch(() => []);
      // The row is undefined if the role lacks the permission, or if the server is only compatible
      // with PostgreSQL.
      return row && `${row.system_identifier}:${row.database}:${row.tables}`;
    },
    close,
  };
  return {
    store,
    async open() {
      const schema = await migrate({ db, patientDb }, missing);
      opened = {
        db: db.withSchema(schema),
        patientDb: patientDb.withSchema(schema),
        getTableName: (table) => qualifyName(schema, table),
      };
    },
  };
}
