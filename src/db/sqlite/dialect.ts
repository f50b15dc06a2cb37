import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import {
  type Compilable,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { type BoundedMemory, createBoundedMemory } from "../../lib/bounded-memory.ts";
import type { MaybePromise } from "../../lib/maybe-promise.ts";
import { type Db, type Schema, UniqueViolation } from "../database.ts";
import { isTaken, retryWhileBusy } from "./locking.ts";

/**
 * Creates Kysely's database on `node:sqlite`.
 *
 * @param requireUnchanged Called after each query, before its result counts.
 */
export const createSqliteDb = (
  database: DatabaseSync,
  requireUnchanged: () => void = () => {},
): Db => new SqliteDb(new SqliteDriver(database, requireUnchanged));

/**
 * Runs compiled queries outside of transactions directly. For them, Kysely would acquire and
 * release a connection, which takes about as long as a query for one row.
 */
class SqliteDb extends Kysely<Schema> {
  readonly #connection: SqliteConnection;

  constructor(driver: SqliteDriver) {
    super({
      dialect: {
        createDriver: () => driver,
        createQueryCompiler: () => new SqliteQueryCompiler(),
        createAdapter: () => new SharedConnectionAdapter(),
        createIntrospector: (db) => new SqliteIntrospector(db),
      },
    });
    this.#connection = new SqliteConnection(driver);
  }

  override executeQuery<Row>(
    query: CompiledQuery<Row> | Compilable<Row>,
  ): Promise<QueryResult<Row>> {
    const compiled = "compile" in query ? query.compile() : query;
    return this.#connection.executeQuery<Row>(compiled);
  }
}

/**
 * Disables Kysely's own lock: with it, a write that waits for another process would delay every
 * read.
 */
class SharedConnectionAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

const MAX_PREPARED = 256;

/**
 * Runs all queries on one shared connection. While a transaction is open, only its own queries run.
 */
class SqliteDriver implements Driver {
  readonly #database: DatabaseSync;
  readonly #requireUnchanged: () => void;
  /** Prepared statements are cached, since preparing a statement takes longer than running it. */
  readonly #prepared: BoundedMemory<string, StatementSync> = createBoundedMemory(MAX_PREPARED);
  #open: { readonly ended: Promise<void>; readonly end: () => void } | undefined;

  constructor(database: DatabaseSync, requireUnchanged: () => void) {
    this.#database = database;
    this.#requireUnchanged = requireUnchanged;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this);
  }

  /** Takes the write lock at once, so that no other process changes what the transaction reads. */
  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await this.#runOutsideTransaction(() => {
      this.#database.exec("BEGIN IMMEDIATE");
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#open = { ended: promise, end: resolve };
      connection.isInTransaction = true;
    });
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    this.#database.exec("COMMIT");
    this.#end(connection);
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    try {
      // SQLite has already rolled back after some failures, such as a full disk.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
    } finally {
      this.#end(connection);
    }
  }

  #end(connection: SqliteConnection): void {
    connection.isInTransaction = false;
    this.#open?.end();
    this.#open = undefined;
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#database.close();
  }

  execute<Row>(query: CompiledQuery, connection: SqliteConnection): MaybePromise<Row[]> {
    const run = (): Row[] => translateFailure(() => this.#run(query));
    return connection.isInTransaction ? run() : this.#runOutsideTransaction(run);
  }

  #run<Row>({ sql, parameters }: CompiledQuery): Row[] {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    const rows = statement.all(...(parameters as readonly SQLInputValue[]));
    this.#requireUnchanged();
    return rows as Row[];
  }

  /**
   * Runs `work` once no transaction of this process is open, and retries while others hold locks.
   */
  #runOutsideTransaction<T>(work: () => T): Promise<T> {
    return retryWhileBusy(work, () => this.#open?.ended);
  }
}

/** @throws {UniqueViolation} instead of SQLite's own error. */
export function translateFailure<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isTaken(error) ? new UniqueViolation(error) : error;
  }
}

class SqliteConnection implements DatabaseConnection {
  isInTransaction = false;
  readonly #driver: SqliteDriver;

  constructor(driver: SqliteDriver) {
    this.#driver = driver;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return { rows: await this.#driver.execute<Row>(query, this) };
  }

  /** No query here reads more rows than fit in memory. */
  streamQuery(): never {
    throw new Error("queries are not streamed");
  }
}
