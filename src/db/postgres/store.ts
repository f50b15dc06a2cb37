import "../../core/base/node-version.ts";
import { randomUUID } from "node:crypto";
import { Fault } from "../../core/base/fault.ts";
import { option, settle, word } from "../../core/base/options.ts";
import { createOperations } from "../operations.ts";
import type { NewLogEntry } from "../records.ts";
import { type AttemptPart, createParts, type Store } from "../store.ts";
import { rowOf, tables } from "../tables.ts";
import { createTransfer, run } from "../transfer.ts";
import { forgetAttempts, type OpenPostgres, recordAttempt } from "./attempts.ts";
import { Availability } from "./availability.ts";
import { createPostgresDb, FOR_PAGES, PATIENT } from "./dialect.ts";
import { DatabaseUnavailable } from "./failures.ts";
import { insertEntries, insertRows } from "./insert-rows.ts";
import { createPool, type PostgresPool } from "./pool.ts";
import { IDENTITY, migrate, qualifiedName } from "./schema.ts";

export type { PostgresClient, PostgresPool } from "./pool.ts";

/** The options of `openPostgres`. */
export type PostgresOptions = {
  /** For missing tables: create them (the default), or throw `database_missing`. */
  readonly missing?: "create" | "refuse";
} & (
  | {
      /** `postgres://user:password@host:5432/database`, several hosts separated by commas. */
      readonly url: string;
    }
  | {
      /**
       * A pool of the `pg` package. You must end it yourself, after closing the store.
       */
      readonly pool: PostgresPool;
    }
);

type SettledPostgresOptions = Required<Pick<PostgresOptions, "missing">> & {
  readonly url: string | undefined;
  readonly pool: PostgresPool | undefined;
};

const postgresOptions = {
  url: option<string | undefined>(undefined, "text", (url) => typeof url === "string"),
  pool: option<PostgresPool | undefined>(
    undefined,
    "a pool of the package pg",
    (pool) => typeof pool.connect === "function",
  ),
  missing: word("create", "refuse"),
};

/** The store of `openPostgres`. */
export interface PostgresStore extends Store {
  readonly kind: "postgres";
  /** @internal */
  readonly attempts: AttemptPart;
  /** What identifies the database, or `undefined` if it does not tell. @internal */
  identity(): Promise<string | undefined>;
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

/** Until `open` has succeeded, each call of the store throws an `Unavailable`. @internal */
export interface UnopenedStore<S> {
  readonly store: S;
  /** May be called again after it has failed. */
  open(): Promise<void>;
}

/** As `openPostgres`, for a database that may not be there yet. @internal */
export function preparePostgres(options: PostgresOptions): UnopenedStore<PostgresStore> {
  const takes = "openPostgres takes an object with url, or with pool";
  const { url, pool, missing } = settle<SettledPostgresOptions>(postgresOptions, options, takes);
  if (pool !== undefined) return prepareOn(pool, missing, async () => {});
  if (url === undefined) throw new Fault("invalid_option", takes);
  const own = createPool(url);
  return prepareOn(own, missing, () => own.end());
}

function prepareOn(
  pool: PostgresPool,
  missing: SettledPostgresOptions["missing"],
  close: () => Promise<void>,
): UnopenedStore<PostgresStore> {
  const db = createPostgresDb(pool, FOR_PAGES, new Availability());
  const patientDb = createPostgresDb(pool, PATIENT, new Availability());
  let opened: OpenPostgres | undefined;
  const requireOpen = (): OpenPostgres => {
    if (opened === undefined) throw new DatabaseUnavailable();
    return opened;
  };
  const keys = new WeakMap<NewLogEntry, string>();
  const keyOf = (entry: NewLogEntry): string => {
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
      const rows = entries.map((entry) => rowOf(tables.log, entry));
      await insertEntries(database, rows, entries.map(keyOf));
    }),
    attempts: {
      record: operations.define("attempts.record", recordAttempt),
      forget: operations.define("attempts.forget", forgetAttempts),
    },
    transfer: createTransfer({
      db: () => requireOpen().patientDb,
      insertRows: (trx, rows) => insertRows({ ...requireOpen(), db: trx }, rows),
    }),
    async identity() {
      const name = requireOpen().nameOf("schema");
      const [row] = await run(db, IDENTITY, [name]).catch(() => []);
      // Undefined if the role may not ask, or the server is a relative of PostgreSQL.
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
        nameOf: (table) => qualifiedName(schema, table),
      };
    },
  };
}
