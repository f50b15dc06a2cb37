import type { DatabaseSync } from "node:sqlite";
import { AnyFault } from "../../core/base/fault.ts";
import type { SchemaDifference } from "../inspection.ts";
import { NEWEST_SCHEMA } from "../statements/schema.ts";
import { openExisting, UNTRUSTED } from "./file.ts";
import { retryWhileBusy } from "./locking.ts";
import { sqlite } from "./node-sqlite.ts";
import { createSchema, versionOf } from "./schema.ts";

export const isKnownSchema = (version: number): boolean => version > 0 && version <= NEWEST_SCHEMA;

/**
 * Compares every table, index, trigger and view with those of a new database of that version. A
 * trigger could bring a removed account back, and a view in place of a table could never end. Only
 * reads the list of objects, which runs none of them.
 */
export function schemaDifference(
  database: DatabaseSync,
  version: number,
): SchemaDifference | undefined {
  const expected = expectedObjects(version);
  const found = objectsIn(database);
  const keys = new Set(found.map(keyOf));
  const missing = [...expected.values()].find((object) => !keys.has(keyOf(object)));
  if (missing !== undefined) return { text: `${nameOf(missing)} is missing`, remove: undefined };
  const known = found.filter((object) => expected.has(keyOf(object)));
  const changed = known.find((object) => !isSame(object, expected.get(keyOf(object))));
  if (changed !== undefined) {
    return { text: `${nameOf(changed)} is not as Latchkey creates it`, remove: undefined };
  }
  const foreign = found.find((object) => !expected.has(keyOf(object)));
  return foreign && { text: `${nameOf(foreign)} is not Latchkey's`, remove: removalOf(foreign) };
}

/** Refuses a database whose schema is not exactly that of its version, and returns the version. */
export function requireOwnSchema(database: DatabaseSync, file: string): number {
  const version = versionOf(database);
  const difference = isKnownSchema(version) ? schemaDifference(database, version) : undefined;
  if (difference === undefined) return version;
  const { text, remove } = difference;
  const removal = remove === undefined ? "" : ` (${remove} removes it)`;
  throw new AnyFault("schema_foreign", `${file} has a foreign schema: ${text}${removal}`);
}

/**
 * Refuses a database of another schema, without changing it: for one that is only read, or that may
 * be the wrong one.
 */
export async function refuseOtherSchema(file: string, empty: "accept" | "refuse"): Promise<void> {
  using database = openExisting(file, UNTRUSTED);
  const version = await retryWhileBusy(() => versionOf(database));
  if (version === NEWEST_SCHEMA) {
    await retryWhileBusy(() => requireOwnSchema(database, "it"));
    return;
  }
  if (version === 0 && empty === "accept") return;
  if (version === 0) throw new AnyFault("database_missing", "it has no Latchkey tables");
  throw new AnyFault(
    "schema_other",
    `it has schema ${version}, which this version of Latchkey cannot copy: open it once with the newer of the two versions, and copy with that version`,
  );
}

type SchemaObject = readonly [type: string, name: string, table: string, sql: string | null];

// By its older name: a file can contain a view named sqlite_schema, but none named sqlite_master.
const OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_master";

const objectsIn = (database: DatabaseSync): readonly SchemaObject[] =>
  database
    .prepare(OBJECTS)
    .all()
    .map(({ type, name, tbl_name, sql }) => [
      String(type),
      String(name),
      String(tbl_name),
      sql === null ? null : String(sql),
    ]);

function expectedObjects(version: number): ReadonlyMap<string, SchemaObject> {
  using database = new sqlite.DatabaseSync(":memory:");
  createSchema(database, version);
  return new Map(objectsIn(database).map((object) => [keyOf(object), object]));
}

const keyOf = ([type, name]: SchemaObject): string => `${type} ${name}`;

const isSame = (one: SchemaObject, other: SchemaObject | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const MAX_SHOWN = 80;

const nameOf = ([type, name]: SchemaObject): string =>
  `the ${isType(type) ? type : "object"} ${quoted(name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name)}`;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const isType = (type: string): boolean => ["table", "index", "trigger", "view"].includes(type);

/** SQLite removes none of its own objects, except for the statistics that `ANALYZE` makes. */
function removalOf([type, name]: SchemaObject): string | undefined {
  const isRemovable = isType(type) && name.length <= MAX_SHOWN && !/^sqlite_(?!stat)/i.test(name);
  return isRemovable ? `DROP ${type.toUpperCase()} ${quoted(name)}` : undefined;
}
