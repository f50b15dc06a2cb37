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

/** The store of either database. */
export type OpenStore = Store & Partial<Pick<PostgresStore, "readDatabaseId">>;

/** A store that `await using` closes. */
export type DisposableStore = OpenStore & AsyncDisposable;

const makeDisposable = (store: OpenStore): DisposableStore =>
  Object.assign(store, { [Symbol.asyncDispose]: async () => store.close() });

type StoreSettings = Pick<Settings, "database">;

/** What happens to a missing database. `read` opens one also where this user cannot write. */
export type Access = "create" | "refuse" | "read";

/**
 * Opens the store that the settings name. A missing database is created, with its folder, or is
 * `database_missing`.
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

/** Opens the store at a place. A folder is not created, and the error does not name the place. */
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
  // Loaded on demand, because the driver takes a tenth of the start time.
  const { openPostgres } = await import("../db/postgres/store.ts");
  return makeDisposable(await openPostgres({ url: location.url, missing }));
}

/** As `openStore`, for a gate that can wait for PostgreSQL. An SQLite file is opened at once. */
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

/** The error with what could not be opened, unless it already says that. */
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

/** As `openStore`, but `undefined` if there is no database or if it is empty. */
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
