/** Latchkey's table of users, for the tables of an app that uses Drizzle. */
import { pgSchema, pgTable, customType as pgType } from "drizzle-orm/pg-core";
import { sqliteTable, customType as sqliteType } from "drizzle-orm/sqlite-core";
import { valueReaders } from "./db/rows.ts";
import { getKeyField, isNumber } from "./db/schema.ts";
import {
  type Column,
  listColumns,
  tables,
  toColumnName,
  toColumnValue,
  type ValueOf,
} from "./db/tables.ts";

type Columns = (typeof tables.users)["columns"];

/** Names the columns that apps may read: all except the hash of the password. */
type Field = {
  [F in keyof Columns]: Columns[F] extends { readonly secret: true } ? never : F;
}[keyof Columns];

/** Resolves to the type of the values of a column in an app, where an ID is a plain string. */
type Value<F extends Field> = ValueOf<Columns[F]> extends string ? string : ValueOf<Columns[F]>;

interface TypesOf<F extends Field> {
  data: Value<F>;
  driverData: string | number;
  notNull: Columns[F] extends { readonly optional: true } ? false : true;
}

// The types name functions of Drizzle instead of what the functions return, because the parameters
// of its types for columns differ between its versions.
type PgColumns = { [F in Field]: ReturnType<ReturnType<typeof pgType<TypesOf<F>>>> };
type SqliteColumns = { [F in Field]: ReturnType<ReturnType<typeof sqliteType<TypesOf<F>>>> };

/** Describes the users in SQLite as a table of Drizzle. */
export type SqliteUsers = ReturnType<typeof sqliteTable<"latchkey_users", SqliteColumns>>;

/** Describes the users in PostgreSQL as a table of Drizzle. */
export type PostgresUsers = ReturnType<typeof pgTable<"latchkey_users", PgColumns>>;

/**
 * Contains the users in SQLite, for foreign keys and joins. Only read it: Latchkey writes the table.
 * Do not export it from a schema file of Drizzle Kit, which would then create the table.
 */
export const sqliteUsers: SqliteUsers = sqliteTable("latchkey_users", defineSqliteColumns());

/** Contains the users in PostgreSQL, like `sqliteUsers` in SQLite. */
export const postgresUsers: PostgresUsers = pgTable("latchkey_users", definePgColumns());

/**
 * Returns the users in PostgreSQL for a Latchkey that has a schema of its own.
 *
 * @example
 * ```ts
 * const users = postgresUsersIn("latchkey");
 * ```
 */
export const postgresUsersIn = (schema: string): PostgresUsers =>
  pgSchema(schema).table("latchkey_users", definePgColumns()) as unknown as PostgresUsers;

function defineSqliteColumns(): SqliteColumns {
  return defineColumns((column, name) =>
    sqliteType(describeType(column, isNumber(column.kind) ? "integer" : "text"))(name),
  ) as SqliteColumns;
}

function definePgColumns(): PgColumns {
  return defineColumns((column, name) =>
    pgType(describeType(column, isNumber(column.kind) ? "bigint" : "text"))(name),
  ) as PgColumns;
}

/** Describes to Drizzle how the values of a column are stored. */
function describeType({ kind }: Column, sqlType: string) {
  return {
    dataType: () => sqlType,
    fromDriver: (value: unknown) => valueReaders[kind](value),
    toDriver: (value: unknown) => toColumnValue(kind, value),
  };
}

interface Builder {
  notNull(): Builder;
  primaryKey(): Builder;
  unique(): Builder;
}

/** Derives the columns that apps may read from the declaration. */
function defineColumns(define: (column: Column, name: string) => Builder): unknown {
  const columns = listColumns(tables.users).filter(([, { secret }]) => secret !== true);
  return Object.fromEntries(
    columns.map(([field, column]) => {
      const builder = define(column, toColumnName(field));
      if (field === getKeyField(tables.users)) return [field, builder.primaryKey()];
      if (column.unique === true) builder.unique();
      return [field, column.optional === true ? builder : builder.notNull()];
    }),
  );
}
