import {
  type Compilable,
  type CompiledQuery,
  type DialectAdapter,
  type Expression,
  type Kysely,
  sql,
  type Transaction,
} from "kysely";
import { Unavailable } from "../lib/fault.ts";
import type { AnyTable, Column, OptionalField, TableName, tables, ValueOf } from "./tables.ts";

/** Describes the rows of each table as the databases hold them. `rows.ts` translates them. */
export type Schema = {
  readonly [Name in TableName as `latchkey_${Name}`]: TableRow<(typeof tables)[Name]>;
};

/** Runs queries, alone or as part of a transaction. No query waits longer than a page can. */
export type Db = Kysely<Schema>;

/** Describes a row of a table. Its columns have the names of the fields in snake case. */
export type TableRow<T extends AnyTable> = {
  readonly [Field in keyof T["columns"] & string as SnakeCase<Field>]:
    | StoredValue<ValueOf<T["columns"][Field] & Column>>
    | (Field extends OptionalField<T> ? null : never);
};

type StoredValue<Value> = Value extends Date
  ? number
  : Value extends readonly string[]
    ? string
    : Value;

type SnakeCase<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : "";

/**
 * Another transaction changed what this transaction had read. This transaction changed nothing, and
 * a retry may succeed.
 */
export class TransactionConflict extends Unavailable {
  constructor(cause: unknown) {
    super("store_busy", "too many transactions at the same time", 2, { cause });
  }
}

/** A row with this key, or with another value that must be unique, already exists. */
export class UniqueViolation extends Error {
  constructor(cause: unknown) {
    super("a row with this value exists", { cause });
  }
}

const MAX_TRIES = 10;
const MAX_PAUSE_MS = 20;

/**
 * Runs `work` in a serializable transaction: the result is as if the transaction had run alone.
 * After a conflict with another transaction, `work` runs again, so it must change nothing except
 * through `trx`.
 */
export async function runTransaction<T>(
  db: Db,
  work: (trx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  // Work inside a transaction commits or fails with that transaction.
  if (db.isTransaction) return work(db as Transaction<Schema>);
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.transaction().setIsolationLevel("serializable").execute(work);
    } catch (error) {
      if (!(error instanceof TransactionConflict) || tries === MAX_TRIES) throw error;
      const { promise, resolve } = Promise.withResolvers<void>();
      // The pause is random, so that the conflicting transactions do not conflict again.
      setTimeout(resolve, Math.random() * MAX_PAUSE_MS);
      await promise;
    }
  }
}

/**
 * Compiles a query once for each database, for guards and the home page: to build a query takes
 * longer than to run it. The parameters of the query are the values, in their order.
 */
export function compileOnce<Values extends readonly unknown[], Found>(
  build: (db: Db, ...values: Values) => Compilable<Found>,
): (db: Db, ...values: Values) => Promise<readonly Found[]> {
  const compiled = new WeakMap<DialectAdapter, CompiledQuery<Found>>();
  return async (db, ...values) => {
    // Each transaction is a `Db` of its own, and shares the adapter of its database.
    const { adapter } = db.getExecutor();
    const query = compiled.get(adapter) ?? compile(build(db, ...values), values);
    compiled.set(adapter, query);
    return (await db.executeQuery<Found>({ ...query, parameters: values })).rows;
  };
}

function compile<Found>(
  built: Compilable<Found>,
  values: readonly unknown[],
): CompiledQuery<Found> {
  const query = built.compile();
  const isInOrder = values.every((value, at) => query.parameters[at] === value);
  if (isInOrder && query.parameters.length === values.length) return query;
  throw new Error(`the parameters are not the values: ${query.sql}`);
}

/**
 * Returns the limit of a compiled query as a sum. SQLite looks at the value of a plain `LIMIT ?`,
 * so it would prepare the statement again on each use, which takes as long as the query.
 */
export const toStableLimit = (limit: number): Expression<number> => sql<number>`${limit} + 0`;
