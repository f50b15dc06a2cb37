import { dirname } from "node:path";
import { codeOf, Fault, reasonOf } from "../core/base/fault.ts";
import type { Place } from "../db/place.ts";
import { mayPass } from "../db/postgres/failures.ts";
import type { PostgresStore, UnopenedStore } from "../db/postgres/store.ts";
import { isAccessFault } from "../db/sqlite/file.ts";
import { openSqlite, openSqliteToRead } from "../db/sqlite/store.ts";
import type { Store } from "../db/store.ts";
import { makeNamedFolder } from "../files/data-dir.ts";
import type { Settings } from "./settings/settings.ts";

/** The store of either database. */
export type OpenStore = Store & Partial<Pick<PostgresStore, "identity">>;

/** A store that `await using` closes. */
export type UsedStore = OpenStore & AsyncDisposable;

const closing = (store: OpenStore): UsedStore =>
  Object.assign(store, { [Symbol.asyncDispose]: async () => store.close() });

type StoreSettings = Pick<Settings, "database">;

/** What happens to a missing database. `read` opens one also where this user cannot write. */
export type Access = "create" | "refuse" | "read";

/**
 * Opens the store that the settings name. A missing database is created, with its folder, or is
 * `database_missing`.
 */
export async function openStore({ database }: StoreSettings, access: Access): Promise<UsedStore> {
  if (access === "create") await makeFolderOf(database);
  try {
    return await openPlace(database, access);
  } catch (error) {
    throw cannotOpen(database, error);
  }
}

/** Opens the store at a place. A folder is not created, and the error does not name the place. */
export async function openPlace(place: Place, access: Access): Promise<UsedStore> {
  const missing = access === "create" ? "create" : "refuse";
  if (place.kind === "sqlite") {
    const { file } = place;
    return closing(
      await (access === "read" ? openSqliteToRead(file) : openSqlite({ file, missing })),
    );
  }
  // Loaded on demand, because the driver takes a tenth of the start time.
  const { openPostgres } = await import("../db/postgres/store.ts");
  return closing(await openPostgres({ url: place.url, missing }));
}

/** As `openStore`, for a gate that can wait for PostgreSQL. An SQLite file is opened at once. */
export async function prepareStore({ database }: StoreSettings): Promise<UnopenedStore<UsedStore>> {
  if (database.kind === "sqlite") {
    return { store: await openStore({ database }, "create"), open: async () => {} };
  }
  const { preparePostgres } = await import("../db/postgres/store.ts");
  const { store, open } = preparePostgres({ url: database.url });
  return {
    store: closing(store),
    open: () =>
      open().catch((error) => {
        throw mayPass(error) ? error : cannotOpen(database, error);
      }),
  };
}

/** The error with what could not be opened, unless it already says that. */
function cannotOpen(database: Place, error: unknown): unknown {
  const explained = [
    "database_incomplete",
    "database_missing",
    "not_latchkey",
    "schema_newer",
    "database_url_invalid",
  ];
  if (explained.includes(codeOf(error) ?? "")) return error;
  return cannotUse(
    database.kind === "sqlite" ? `the database ${database.file}` : "the database of DATABASE_URL",
    error,
  );
}

/** As `openStore`, but `undefined` if there is no database or if it is empty. */
export async function openIfExists(settings: StoreSettings): Promise<UsedStore | undefined> {
  try {
    return await openStore(settings, "refuse");
  } catch (error) {
    if (codeOf(error) === "database_missing") return undefined;
    throw error;
  }
}

export async function makeFolderOf(database: Place): Promise<void> {
  if (database.kind === "sqlite") {
    await makeNamedFolder("the folder of the database", dirname(database.file));
  }
}

export function cannotUse(what: string, error: unknown): Fault {
  if (isAccessFault(error)) return error;
  const code = codeOf(error) ?? "database_unusable";
  return new Fault(code, `cannot use ${what}: ${reasonOf(error)}`, { cause: error });
}
