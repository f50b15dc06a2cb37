import { dirname } from "node:path";
import { AnyFault, codeOf, reasonOf } from "../core/base/fault.ts";
import { makeNamedFolder } from "../files/data-dir.ts";
import type { Place } from "../stores/place.ts";
import { mayPass } from "../stores/postgres/failures.ts";
import type { PostgresStore, UnopenedStore } from "../stores/postgres/store.ts";
import { isAccessFault } from "../stores/sqlite/file.ts";
import { openSqlite, openSqliteToRead, type SqliteStore } from "../stores/sqlite/store.ts";
import type { Settings } from "./settings/settings.ts";

/** A store of Latchkey's own. Only PostgreSQL has the parts for several machines. */
export interface OpenStore
  extends Omit<SqliteStore, "close">,
    Partial<Pick<PostgresStore, "attempts" | "identity">>,
    Closable {}

interface Closable {
  close(): void | Promise<void>;
}

/** A store that `await using` closes. */
export type UsedStore<S extends Closable = OpenStore> = S & AsyncDisposable;

export const closing = <S extends Closable>(store: S): UsedStore<S> =>
  Object.assign(store, { [Symbol.asyncDispose]: async () => store.close() });

type StoreSettings = Pick<Settings, "database">;

/**
 * Opens the store that the settings name. A missing database is created, with its folder, or is
 * `database_missing`.
 */
export async function openStore(
  { database }: StoreSettings,
  missing: "create" | "refuse",
): Promise<UsedStore> {
  if (missing === "create") await makeFolderOf(database);
  return database.kind === "sqlite"
    ? opened(database, openSqlite({ file: database.file, missing }))
    : opened(database, openPostgresAt(database.url, missing));
}

/** Opens an existing store for what only reads, also where this user cannot write. */
export const openStoreToRead = ({ database }: StoreSettings): Promise<UsedStore> =>
  database.kind === "sqlite"
    ? opened(database, openSqliteToRead(database.file))
    : opened(database, openPostgresAt(database.url, "refuse"));

const opened = (database: Place, opening: Promise<OpenStore>): Promise<UsedStore> =>
  opening.then(closing, (error) => {
    throw cannotOpen(database, error);
  });

/** As `openStore`, for a gate that can wait for PostgreSQL. An SQLite file is opened at once. */
export async function prepareStore({ database }: StoreSettings): Promise<UnopenedStore<UsedStore>> {
  if (database.kind === "sqlite") {
    return { store: await openStore({ database }, "create"), open: async () => {} };
  }
  const { preparePostgres } = await import("../stores/postgres/store.ts");
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
  const explained = ["database_missing", "not_latchkey", "schema_newer", "database_url_invalid"];
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

/** Loads the driver on demand, because that takes a tenth of the start time. */
export async function openPostgresAt(
  url: string,
  missing: "create" | "refuse",
): Promise<PostgresStore> {
  const { openPostgres } = await import("../stores/postgres/store.ts");
  return openPostgres({ url, missing });
}

export function cannotUse(what: string, error: unknown): AnyFault {
  if (isAccessFault(error)) return error;
  const code = codeOf(error) ?? "database_unusable";
  return new AnyFault(code, `cannot use ${what}: ${reasonOf(error)}`, { cause: error });
}
