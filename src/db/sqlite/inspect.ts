import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { getErrorMessage } from "../../lib/fault.ts";
import {
  createContentQueries,
  type DatabaseContents,
  type DatabaseInspection,
  toContents,
} from "../inspection.ts";
import { isBusy, retryWhileBusy } from "./locking.ts";
import { openToRead, UNTRUSTED } from "./open.ts";
import {
  findDamage,
  findSchemaDifference,
  getNameInSchema,
  isKnownSchema,
  readVersion,
} from "./schema.ts";

/** A slow disk reads this size in a few seconds, which block the event loop. */
const MAX_CHECKED_BYTES = 256 * 1024 * 1024;

export interface SqliteInspection extends DatabaseInspection {
  readonly checked: "all" | "too-large";
  /** Lists the damage that SQLite reports. The list is empty for an intact database. */
  readonly damage: readonly string[];
}

/**
 * Reads a database that other processes may be writing to, without creating files beside it.
 *
 * @throws When the database cannot be read at all.
 */
export const inspectSqlite = (file: string): Promise<SqliteInspection> =>
  retryWhileBusy(() => inspectOnce(file));

function inspectOnce(file: string): SqliteInspection {
  using opened = openToRead(file, UNTRUSTED);
  const { database } = opened;
  const checked = statSync(file).size <= MAX_CHECKED_BYTES ? "all" : "too-large";
  const state = inspectState(database, checked);
  const readable = isKnownSchema(state.schema) && state.difference === undefined;
  const contents = readable ? readContents(database, state.schema) : undefined;
  opened.requireUnchanged();
  return { ...state, contents, checked };
}

function readContents(database: DatabaseSync, schema: number): DatabaseContents {
  const queries = createContentQueries((table) => getNameInSchema(table, schema), schema);
  const read = (text: string) => database.prepare(text).all();
  return toContents({
    users: read(queries.users),
    groups: read(queries.groups),
    codes: read(queries.codes),
    tokens: read(queries.tokens),
  });
}

type State = Pick<SqliteInspection, "schema" | "difference" | "damage">;

function inspectState(database: DatabaseSync, checked: SqliteInspection["checked"]): State {
  try {
    const schema = readVersion(database);
    const difference = isKnownSchema(schema) ? findSchemaDifference(database, schema) : undefined;
    // A check would also run what a foreign schema contains.
    const isChecked = checked === "all" && difference === undefined;
    const damage = isChecked ? findDamage(database, "quick_check") : [];
    return { schema: damage.length === 0 ? schema : 0, difference, damage };
  } catch (error) {
    if (isBusy(error)) throw error;
    return { schema: 0, difference: undefined, damage: [getErrorMessage(error)] };
  }
}
