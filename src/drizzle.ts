/** Latchkey's table of users, for the tables of an app that uses Drizzle. */
import "./lib/node-version.ts";
import { pgSchema, pgTable, customType as pgType } from "drizzle-orm/pg-core";
import { sqliteTable, customType as sqliteType } from "drizzle-orm/sqlite-core";
import { valueReaders } from "./db/rows.ts";
import { getKeyField, isNumber } from "./db/schema.ts";
import { type Column, listColumns, tables, toColumnName, toColumnValue } from "./db/tables.ts";

/** Resolves to the declared columns of a user. */
export type UserColumns = (typeof tables.users)["columns"];

/** Names the columns that apps may read: all except the hash of the password. */
export type UserField = {
  [F in keyof UserColumns]: UserColumns[F] extends { readonly secret: true } ? never : F;
}[keyof UserColumns];

/** Describes the values of a column to Drizzle. In an app, an ID is a plain string. */
export interface UserColumnTypes<F extends UserField> {
  data: NonNullable<UserColumns[F]["valueType"]> extends string
    ? string
    : NonNullable<UserColumns[F]["valueType"]>;
  driverData: string | number;
  notNull: UserColumns[F] extends { readonly optional: true } ? false : true;
}

// The types name functions of Drizzle instead of what the functions return, because the parameters
// of its types for columns differ between its versions.

/** Describes the columns of the users in SQLite. */
export type SqliteUserColumns = {
  [F in UserField]: ReturnType<ReturnType<typeof sqliteType<UserColumnTypes<F>>>>;
};

/** Describes the columns of the users in PostgreSQL. */
export type PostgresUserColumns = {
  [F in UserField]: ReturnType<ReturnType<typeof pgType<UserColumnTypes<F>>>>;
};

/** Describes the users in SQLite as a table of Drizzle. */
export type SqliteUsers = ReturnType<typeof sqliteTable<"latchkey_users", SqliteUserColumns>>;

/** Describes the users in PostgreSQL as a table of Drizzle. */
export type PostgresUsers = ReturnType<typeof pgTable<"latchkey_users", PostgresUserColumns>>;

/**
 * Contains the users in SQLite, for foreign keys and joins. Only read it: Latchkey writes the table.
 * Do not export it from a schema file of Drizzle Kit, which would then create the table.
 *
 * @example
 * ```ts
 * const notes = sqliteTable("notes", {
 *   id: integer().primaryKey(),
 *   userId: text().references(() => sqliteUsers.id, { onDelete: "cascade" }),
 * });
 * ```
 */
export const sqliteUsers: SqliteUsers = sqliteTable("latchkey_users", defineSqliteColumns());

/**
 * Contains the users in PostgreSQL, like `sqliteUsers` in SQLite.
 *
 * @example
 * ```ts
 * const notes = pgTable("notes", {
 *   id: integer().primaryKey(),
 *   userId: text().references(() => postgresUsers.id, { onDelete: "cascade" }),
 * });
 * ```
 */
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

function defineSqliteColumns(): SqliteUserColumns {
  return defineColumns((column, name) =>
    sqliteType(describeType(column, isNumber(column.kind) ? "integer" : "text"))(name),
  ) as SqliteUserColumns;
}

function definePgColumns(): PostgresUserColumns {
  return defineColumns((column, name) =>
    pgType(describeType(column, isNumber(column.kind) ? "bigint" : "text"))(name),
  ) as PostgresUserColumns;
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
