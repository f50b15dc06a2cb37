import { Fault } from "../../core/base/fault.ts";
import { type AnyTable, type Column, columnName, columnsOf, tables } from "../../core/tables.ts";
import { isNumber, keyOf } from "./sql.ts";

/** How a database writes the parts of a table's definition. */
export interface Definitions {
  readonly tableName: (table: string) => string;
  readonly text: string;
  readonly number: string;
  /** After the type of a key that the database counts. */
  readonly counted: string;
  /** After the columns of a table. */
  readonly tableOptions: string;
}

/** The schema that brought a column, or a table. */
const sinceOf = (table: AnyTable, column?: Column): number => column?.since ?? table.since ?? 1;

const all: Readonly<Record<string, AnyTable>> = { ...tables };

/** The newest schema: that of the newest column. */
export const NEWEST_SCHEMA: number = Math.max(
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
  const { tableName, tableOptions } = definitions;
  return Object.entries(all).flatMap(([name, table]) => {
    const added = columnsOf(table).filter(([, column]) => sinceOf(table, column) === to);
    const columns = added.map(([field, column]) =>
      [columnName(field), ...definitionOf(keyOf(table) === field, column, definitions)].join(" "),
    );
    if (sinceOf(table) !== to)
      return columns.map((column) => `ALTER TABLE ${tableName(name)} ADD COLUMN ${column}`);
    const indexes = (table.indexes ?? []).map((index) => {
      const indexName = `${tableName(name)}_by_${index.replaceAll(", ", "_")}`;
      return `CREATE INDEX ${indexName} ON ${tableName(name)} (${index})`;
    });
    return [`CREATE TABLE ${tableName(name)} (${columns.join(", ")})${tableOptions}`, ...indexes];
  });
}

/** A part of a table on which the rules rely. */
export interface SchemaPart {
  readonly kind: "column" | "primary key" | "unique key" | "foreign key" | "index";
  readonly table: string;
  /** As in the definition: `user_id, used_at`. */
  readonly columns: string;
}

/** The parts of all tables of this schema. */
export const schemaParts = (version: number): readonly SchemaPart[] =>
  Object.entries(all).flatMap(([table, definition]) => {
    if (sinceOf(definition) > version) return [];
    const indexes = definition.indexes ?? [];
    return [
      ...columnsOf(definition)
        .filter(([, column]) => sinceOf(definition, column) <= version)
        .flatMap(([field, column]) => {
          const kinds = kindsOf(keyOf(definition) === field, column);
          return kinds.map((kind) => ({ kind, table, columns: columnName(field) }));
        }),
      ...indexes.map((columns) => ({ kind: "index" as const, table, columns })),
    ];
  });

const kindsOf = (isKey: boolean, { kind, unique }: Column): readonly SchemaPart["kind"][] => [
  "column",
  ...(isKey ? (["primary key"] as const) : []),
  ...(unique === true ? (["unique key"] as const) : []),
  ...(kind === "user" ? (["foreign key"] as const) : []),
];

function* definitionOf(
  isKey: boolean,
  { kind, optional, unique }: Column,
  { text, number, counted, tableName }: Definitions,
): Iterable<string> {
  yield isNumber(kind) ? number : text;
  if (isKey) yield "PRIMARY KEY";
  if (isKey && kind === "integer") yield counted;
  if (!isKey && optional !== true) yield "NOT NULL";
  if (unique === true) yield "UNIQUE";
  if (kind === "user") yield `REFERENCES ${tableName("users")} (id) ON DELETE CASCADE`;
}
