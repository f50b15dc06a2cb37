import { Fault } from "../lib/fault.ts";
import { type AnyTable, type Column, listColumns, tables, toColumnName } from "./tables.ts";

/** Defines how a database writes the parts of a table's definition. */
export interface Definitions {
  readonly text: string;
  readonly number: string;
  /** This text follows the type of a key that the database counts. */
  readonly counted: string;
  /** This text follows the columns of a table. */
  readonly tableOptions: string;
  /** Returns the name that a table had in a schema. */
  readonly getTableName: (table: string, schema: number) => string;
}

export const getTableName = (table: string): string => `latchkey_${table}`;

/** Names the tables that PostgreSQL has beside those of the declaration. */
export const POSTGRES_TABLES: readonly string[] = ["attempts", "log_end", "schema"];

/** Returns the schema that added a column or a table. */
const getFirstSchema = (table: AnyTable, column?: Column): number =>
  column?.since ?? table.since ?? 1;

const allTables: Readonly<Record<string, AnyTable>> = { ...tables };

/** The newest schema is the schema of the newest column, and at least 2. */
export const NEWEST_SCHEMA: number = Math.max(
  2,
  ...Object.values(allTables).flatMap((table) =>
    listColumns(table).map(([, column]) => getFirstSchema(table, column)),
  ),
);

/**
 * Refuses a database that a newer Latchkey has migrated, since this version must not write to it.
 *
 * @param database The name of the database in the message.
 */
export function refuseNewerSchema(database: string, version: number): void {
  if (version <= NEWEST_SCHEMA) return;
  throw new Fault(
    "schema_newer",
    `${database} has schema ${version}, but this Latchkey knows schemas up to ${NEWEST_SCHEMA}: use a newer Latchkey. If a development version before 0.1.0 made it, export its users with that version and import them into a new database (docs/upgrading.md)`,
  );
}

/** Lists the statements that bring the tables to this schema from the previous schema. */
export function listSchemaChanges(to: number, definitions: Definitions): readonly string[] {
  return Object.entries(allTables).flatMap(([name, table]) => {
    const sqlName = definitions.getTableName(name, to);
    const added = listColumns(table).filter(([, column]) => getFirstSchema(table, column) === to);
    const columns = added.map(([field, column]) =>
      defineColumn(table, field, column, to, definitions),
    );
    if (getFirstSchema(table) !== to)
      return columns.map((column) => `ALTER TABLE ${sqlName} ADD COLUMN ${column}`);
    return [
      `CREATE TABLE ${sqlName} (${columns.join(", ")})${definitions.tableOptions}`,
      ...listIndexes(table).map((index) => createIndex(sqlName, index)),
    ];
  });
}

/** Lists the columns of each index of a table. */
export const listIndexes = (table: AnyTable): readonly string[] => table.indexes ?? [];

export const formatIndexName = (sqlName: string, index: string): string =>
  `${sqlName}_by_${index.replaceAll(", ", "_")}`;

export const createIndex = (sqlName: string, index: string): string =>
  `CREATE INDEX ${formatIndexName(sqlName, index)} ON ${sqlName} (${index})`;

/** Describes a part of a table that Latchkey requires. */
export interface SchemaPart {
  readonly kind: "column" | "primary key" | "unique key" | "foreign key" | "index";
  readonly table: string;
  /** The columns are written as in the definition: `user_id, used_at`. */
  readonly columns: string;
}

/** Lists the parts of all tables of the newest schema. */
export const listSchemaParts = (): readonly SchemaPart[] =>
  Object.entries(allTables).flatMap(([table, definition]) => [
    ...listColumns(definition).flatMap(([field, column]) =>
      listColumnParts(getKeyField(definition) === field, column).map((kind) => {
        return { kind, table, columns: toColumnName(field) };
      }),
    ),
    ...listIndexes(definition).map((columns) => ({ kind: "index" as const, table, columns })),
  ]);

const listColumnParts = (
  isKey: boolean,
  { kind, unique }: Column,
): readonly SchemaPart["kind"][] => [
  "column",
  ...(isKey ? (["primary key"] as const) : []),
  ...(unique === true ? (["unique key"] as const) : []),
  ...(kind === "user" ? (["foreign key"] as const) : []),
];

function defineColumn(
  table: AnyTable,
  field: string,
  { kind, optional, unique }: Column,
  schema: number,
  { text, number, counted, getTableName: tableName }: Definitions,
): string {
  const isKey = getKeyField(table) === field;
  const words = [toColumnName(field), isNumber(kind) ? number : text];
  if (isKey) words.push("PRIMARY KEY");
  if (isKey && kind === "integer" && counted !== "") words.push(counted);
  if (!isKey && optional !== true) words.push("NOT NULL");
  if (unique === true) words.push("UNIQUE");
  if (kind === "user")
    words.push(`REFERENCES ${tableName("users", schema)} (id) ON DELETE CASCADE`);
  return words.join(" ");
}

/** Returns the key field of a table. */
export const getKeyField = (table: AnyTable): string => Object.keys(table.columns)[0] ?? "";

/** Returns whether a column holds numbers. */
export const isNumber = (kind: Column["kind"]): boolean => kind === "integer" || kind === "time";
