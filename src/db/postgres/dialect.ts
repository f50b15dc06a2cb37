import {
  type CompiledQuery,
  type DatabaseConnection,
  DeleteQueryNode,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  SelectQueryNode,
  type TransactionSettings,
  UpdateQueryNode,
} from "kysely";
import pg from "pg";
import type { Db, Schema } from "../database.ts";
import { Availability, type ConnectionUse } from "./availability.ts";
import {
  isStatementError,
  NoResponse,
  translateConnectionError,
  translateError,
} from "./failures.ts";
import { CANCEL_AFTER_MS, type PostgresClient, type PostgresPool } from "./pool.ts";

/** Limits how long work may take, in milliseconds. */
export interface TimeLimits {
  /** The limit covers the time from the wait for a connection to the last result. */
  readonly all: number;
  /**
   * The limit covers one statement, by this machine's clock, in case the server does not keep its
   * own limit.
   */
  readonly statement: number;
  /**
   * After this time, the server cancels a statement of a transaction, since its result would come
   * too late.
   */
  readonly cancel: number;
}

/** A page must respond within two seconds, even when the database does not answer. */
export const PAGE_LIMITS: TimeLimits = { all: 1_800, statement: 1_000, cancel: CANCEL_AFTER_MS };

/** These limits are for work that no page waits for: counting rows or a slow disk can take long. */
export const PATIENT_LIMITS: TimeLimits = { all: 86_400_000, statement: 60_000, cancel: 60_000 };

/** Creates Kysely's database on the connections of a pool. */
export function createPostgresDb(
  pool: PostgresPool,
  limits: TimeLimits,
  availability: Availability = new Availability(),
): Db {
  return new Kysely<Schema>({
    dialect: {
      createDriver: () => new PostgresDriver(pool, limits, availability),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
  });
}

class PostgresDriver implements Driver {
  readonly #pool: PostgresPool;
  readonly #limits: TimeLimits;
  readonly #availability: Availability;

  constructor(pool: PostgresPool, limits: TimeLimits, availability: Availability) {
    this.#pool = pool;
    this.#limits = limits;
    this.#availability = availability;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    const use = this.#availability.begin();
    try {
      const client = await connectWithin(this.#pool, this.#limits.all);
      return new PostgresConnection(client, use, this.#limits);
    } catch (error) {
      throw use.fail(translateConnectionError(error));
    }
  }

  async beginTransaction(
    connection: PostgresConnection,
    { isolationLevel = "read committed" }: TransactionSettings,
  ): Promise<void> {
    await connection.run(`BEGIN ISOLATION LEVEL ${isolationLevel};
      SET LOCAL statement_timeout = ${this.#limits.cancel}`);
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    await connection.run("COMMIT");
  }

  /**
   * Rolls back. A failure only closes the connection: the caller already gets the error that caused
   * the rollback.
   */
  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    await connection.run("ROLLBACK").catch(() => connection.markBroken());
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    if (connection.isBroken) this.#pool.failed?.();
    connection.release();
  }

  async destroy(): Promise<void> {}
}

class PostgresConnection implements DatabaseConnection {
  readonly #client: PostgresClient;
  readonly #use: ConnectionUse;
  readonly #limits: TimeLimits;
  #isBroken = false;

  constructor(client: PostgresClient, use: ConnectionUse, limits: TimeLimits) {
    this.#client = client;
    this.#use = use;
    this.#limits = limits;
    client.on("error", ignore);
  }

  /** True if the connection failed, or if a late result could still arrive on it. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  markBroken(): void {
    this.#isBroken = true;
  }

  async executeQuery<Row>({ query, sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    // PostgreSQL stores no text with a NUL and refuses to compare with such a text, so no row can
    // match. Features check the values that an update sets.
    const isLookup = [SelectQueryNode, DeleteQueryNode, UpdateQueryNode].some((node) =>
      node.is(query),
    );
    if (isLookup && parameters.some(hasNul)) return { rows: [] };
    return { rows: (await this.run(sql, parameters)) as readonly Row[] as Row[] };
  }

  async run(text: string, values: readonly unknown[] = []): Promise<readonly unknown[]> {
    const left = this.#use.startedAt + this.#limits.all - performance.now();
    try {
      // The caller has given up by then, so the statement must not run any more.
      if (left <= 0) throw new NoResponse();
      const result = await this.#client.query({
        text,
        values: [...values],
        query_timeout: Math.min(left, this.#limits.statement),
        types: NUMBERS,
      });
      this.#use.markAnswered();
      return result.rows;
    } catch (error) {
      this.#isBroken ||= !isStatementError(error);
      throw this.#use.fail(translateError(error));
    }
  }

  release(): void {
    this.#use.end();
    this.#client.release(this.#isBroken);
    // A broken connection keeps the listener: without it, an error would end the process.
    if (!this.#isBroken) this.#client.removeListener("error", ignore);
  }

  /** No query here reads more rows than fit in memory. */
  streamQuery(): never {
    throw new Error("queries are not streamed");
  }
}

const hasNul = (value: unknown): boolean => typeof value === "string" && value.includes("\0");

/** Ignores errors of a broken connection: the query that runs on the connection already fails. */
const ignore = (): void => {};

/**
 * The driver returns values of PostgreSQL's int8 as text. All of Latchkey's numbers are safe
 * integers.
 */
const INT8 = 20;

const NUMBERS: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text"),
};

/** Waits for a connection. A connection that arrives too late goes back to the pool. */
async function connectWithin(pool: PostgresPool, ms: number): Promise<PostgresClient> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new NoResponse()), ms);
  const connecting = pool.connect();
  try {
    return await Promise.race([connecting, timeout.promise]);
  } catch (error) {
    if (error instanceof NoResponse) connecting.then((client) => client.release(), ignore);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
