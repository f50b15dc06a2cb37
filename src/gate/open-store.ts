import { dirname } from "node:path";
import type { DatabaseLocation } from "../db/location.ts";
import { isTemporary } from "../db/postgres/failures.ts";
import type { PostgresStore, PreparedStore } from "../db/postgres/store.ts";
import { isAccessFault } from "../db/sqlite/file.ts";
import { openSqlite, openSqliteToRead } from "../db/sqlite/store.ts";
import type { Store } from "../db/store.ts";
import { Fault, getErrorCode, getErrorReason } from "../lib/fault.ts";
import { makeNamedFolder } from "../lib/files/data-dir.ts";
import type { Settings } from "./settings/settings.ts";

/** Provides a store in either database, SQLite or PostgreSQL. */
export type OpenStore = Store & Partial<Pick<PostgresStore, "readDatabaseId">>;

/** `await using` closes this store. */
export type DisposableStore = OpenStore & AsyncDisposable;

const makeDisposable = (store: OpenStore): DisposableStore =>
  Object.assign(store, { [Symbol.asyncDispose]: async () => store.close() });

type StoreSettings = Pick<Settings, "database">;

/**
 * Decides what happens to a missing database. With `read`, a database also opens if this user
 * cannot write to it.
 */
export type Access = "create" | "refuse" | "read";

/**
 * Opens the store that the settings select. With `create`, it creates a missing database and its
 * folder. Otherwise a missing database throws `database_missing`.
 */
export async function openStore(
  { database }: StoreSettings,
  access: Access,
): Promise<DisposableStore> {
  if (access === "create") await makeDatabaseFolder(database);
  try {
    return await openDatabase(database, access);
  } catch (error) {
    throw explainOpenError(database, error);
  }
}

/** Opens the store at a location. It creates no folder, and its errors do not name the location. */
export async function openDatabase(
  location: DatabaseLocation,
  access: Access,
): Promise<DisposableStore> {
  const missing = access === "create" ? "create" : "refuse";
  if (location.kind === "sqlite") {
    const { file } = location;
    return makeDisposable(
      await (access === "read" ? openSqliteToRead(file) : openSqlite({ file, missing })),
    );
  }
  // The driver is loaded on demand, because it takes a tenth of the start time.
  const { openPostgres } = await import("../db/postgres/store.ts");
  return makeDisposable(await openPostgres({ url: location.url, missing }));
}

/**
 * Opens a store like `openStore`, but lets a gate wait for PostgreSQL. SQLite files open at once.
 */
export async function prepareStore({
  database,
}: StoreSettings): Promise<PreparedStore<DisposableStore>> {
  if (database.kind === "sqlite") {
    return { store: await openStore({ database }, "create"), open: async () => {} };
  }
  const { preparePostgres } = await import("../db/postgres/store.ts");
  const { store, open } = preparePostgres({ url: database.url });
  return {
    store: makeDisposable(store),
    open: () =>
      open().catch((error) => {
        throw isTemporary(error) ? error : explainOpenError(database, error);
      }),
  };
}

/** Adds the database to the message of an error, unless the message already names it. */
function explainOpenError(database: DatabaseLocation, error: unknown): unknown {
  const explainedCodes = [
    "database_incomplete",
    "database_missing",
    "not_latchkey",
    "schema_newer",
    "database_url_invalid",
  ];
  if (explainedCodes.includes(getErrorCode(error) ?? "")) return error;
  return createUseFault(
    database.kind === "sqlite" ? `the database ${database.file}` : "the database of DATABASE_URL",
    error,
  );
}

/** Opens a store like `openStore`. Returns `undefined` if the database is missing or empty. */
export async function openExistingStore(
  settings: StoreSettings,
): Promise<DisposableStore | undefined> {
  try {
    return await openStore(settings, "refuse");
  } catch (error) {
    if (getErrorCode(error) === "database_missing") return undefined;
    throw error;
  }
}

export async function makeDatabaseFolder(database: DatabaseLocation): Promise<void> {
  if (database.kind === "sqlite") {
    await makeNamedFolder("the folder of the database", dirname(database.file));
  }
}

export function createUseFault(what: string, error: unknown): Fault {
  if (isAccessFault(error)) return error;
  const code = getErrorCode(error) ?? "database_unusable";
  return new Fault(code, `cannot use ${what}: ${getErrorReason(error)}`, { cause: error });
}
