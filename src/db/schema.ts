import { Fault } from "../core/base/fault.ts";
import { type AnyTable, type Column, columnName, columnsOf, tables } from "./tables.ts";

/** How a database writes the parts of a table's definition. */
export interface Definitions {
  readonly text: string;
  readonly number: string;
  /** After the type of a key that the database counts. */
  readonly counted: string;
  /** After the columns of a table. */
  readonly tableOptions: string;
  /** The name that a table had in a schema. */
  readonly tableName: (table: string, schema: number) => string;
}

export const tableName = (table: string): string => `latchkey_${table}`;

/** The schema that brought a column, or a table. */
const sinceOf = (table: AnyTable, column?: Column): number => column?.since ?? table.since ?? 1;

const all: Readonly<Record<string, AnyTable>> = { ...tables };

/** The newest schema: that of the newest column, and at least 2. */
export const NEWEST_SCHEMA: number = Math.max(
  2,
  ...Object.values(all).flatMap((table) =>
    columnsOf(table).map(([, column]) => sinceOf(table, column)),
  ),
);

/**
 * Refuses a database that a newer Latchkey has migrated: this version must not write to it.
 *
 * @param database What to call it.
 */
export function refuseNewerSchema(database: string, version: number): void {
  if (version <= NEWEST_SCHEMA) return;
  throw new Fault(
    "schema_newer",
    `${database} has schema ${version}, but this Latchkey knows schemas up to ${NEWEST_SCHEMA}: use a newer Latchkey. If a development version before 0.1.0 made it, export its users with that version and import them into a new database (docs/upgrading.md)`,
  );
}

/** The statements that bring the tables to this schema from the one before. */
export function schemaChanges(to: number, definitions: Definitions): readonly string[] {
  return Object.entries(all).flatMap(([name, table]) => {
    const sqlName = definitions.tableName(name, to);
    const added = columnsOf(table).filter(([, column]) => sinceOf(table, column) === to);
    const columns = added.map(([field, column]) =>
      defineColumn(table, field, column, to, definitions),
    );
    if (sinceOf(table) !== to)
      return columns.map((column) => `ALTER TABLE ${sqlName} ADD COLUMN ${column}`);
    return [
      `CREATE TABLE ${sqlName} (${columns.join(", ")})${definitions.tableOptions}`,
      ...indexesOf(table).map((index) => createIndex(sqlName, index)),
    ];
  });
}

/** The columns of each index of a table. */
export const indexesOf = (table: AnyTable): readonly string[] => table.indexes ?? [];

export const indexName = (sqlName: string, index: string): string =>
  `${sqlName}_by_${index.replaceAll(", ", "_")}`;

export const createIndex = (sqlName: string, index: string): string =>
  `CREATE INDEX ${indexName(sqlName, index)} ON ${sqlName} (${index})`;

/** A part of a table on which the rules rely. */
export interface SchemaPart {
  readonly kind: "column" | "primary key" | "unique key" | "foreign key" | "index";
  readonly table: string;
  /** As in the definition: `user_id, used_at`. */
  readonly columns: string;
}

/** The parts of all tables of the newest schema. */
export const schemaParts = (): readonly SchemaPart[] =>
  Object.entries(all).flatMap(([table, definition]) => [
    ...columnsOf(definition).flatMap(([field, column]) =>
      partsOf(keyOf(definition) === field, column).map((kind) => {
        return { kind, table, columns: columnName(field) };
      }),
    ),
    ...indexesOf(definition).map((columns) => ({ kind: "index" as const, table, columns })),
  ]);

const partsOf = (isKey: boolean, { kind, unique }: Column): readonly SchemaPart["kind"][] => [
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
  { text, number, counted, tableName }: Definitions,
): string {
  const isKey = keyOf(table) === field;
  const words = [columnName(field), isNumber(kind) ? number : text];
  if (isKey) words.push("PRIMARY KEY");
  if (isKey && kind === "integer" && counted !== "") words.push(counted);
  if (!isKey && optional !== true) words.push("NOT NULL");
  if (unique === true) words.push("UNIQUE");
  if (kind === "user")
    words.push(`REFERENCES ${tableName("users", schema)} (id) ON DELETE CASCADE`);
  return words.join(" ");
}

/** The field of the key. */
export const keyOf = (table: AnyTable): string => Object.keys(table.columns)[0] ?? "";

/** Whether a column holds numbers. */
export const isNumber = (kind: Column["kind"]): boolean => kind === "integer" || kind === "time";
