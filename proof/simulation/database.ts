import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Around } from "../../src/db/operations.ts";
import { createSqliteDb } from "../../src/db/sqlite/dialect.ts";
import { migrate } from "../../src/db/sqlite/schema.ts";
import { createSqliteStore, type SqliteStore } from "../../src/db/sqlite/store.ts";

/** The one database of all simulations: to make it and its statements takes longer than to clear it. */
export interface Database {
  /** Always answers at once. */
  readonly store: SqliteStore;
  /** Another store on the same database, of which each operation runs as `around` decides. */
  connect(around: Around): SqliteStore;
  /** First accounts, of which there is one at most, and those that links have made. */
  countUsers(): { readonly owners: number; readonly byLinks: number };
  /** Deletes everything that a simulation has stored. */
  clear(): void;
}

export async function createDatabase(): Promise<Database> {
  const database = new PreparedOnce(":memory:");
  await migrate(database);
  const db = createSqliteDb(database);
  const store = createSqliteStore(database, db);
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type == 'table'").all();
  const deletions = tables.map(({ name }) => database.prepare(`DELETE FROM ${name}`));
  const counting = database.prepare(
    "SELECT sum(username GLOB 'owner *') AS owners, sum(username GLOB 'link *') AS by_links FROM latchkey_users",
  );
  return {
    store,
    connect: (around) => createSqliteStore(database, db, around),
    countUsers() {
      const row = counting.get();
      return { owners: Number(row?.owners), byLinks: Number(row?.by_links) };
    },
    clear() {
      for (const one of deletions) one.run();
    },
  };
}

/** Preparing a statement takes longer than running it, and no simulation makes new ones. */
class PreparedOnce extends DatabaseSync {
  readonly #prepared = new Map<string, StatementSync>();

  override prepare(text: string): StatementSync {
    const statement = this.#prepared.get(text) ?? super.prepare(text);
    this.#prepared.set(text, statement);
    return statement;
  }
}
