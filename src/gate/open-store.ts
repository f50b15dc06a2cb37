import type { AccountStore } from "../core/accounts/account-store.ts";
import { codeOf, Fault, messageOf } from "../core/fault.ts";
import type { LogPruner, LogReader } from "../core/log-reader.ts";
import type { AttemptCounter } from "../core/shared-limiter.ts";
import type { RecordImporter } from "../core/transfer/transfer-store.ts";
import type { PostgresStore } from "../stores/postgres/store.ts";
import { isAccessFault } from "../stores/sqlite/file.ts";
import { openSqlite } from "../stores/sqlite/store.ts";

/** Where accounts and log entries are stored. */
export interface Place {
  /** PostgreSQL; `undefined` means SQLite. */
  readonly databaseUrl: string | undefined;
  readonly databaseFile: string;
}

export interface OpenStore
  extends AccountStore,
    LogReader,
    LogPruner,
    RecordImporter,
    Partial<AttemptCounter> {
  close(): void | Promise<void>;
}

/** Opens the store that the settings name. A missing database is created or is `database_missing`. */
export async function openStore(
  { databaseUrl, databaseFile }: Place,
  missing: "create" | "refuse",
): Promise<OpenStore> {
  try {
    return databaseUrl === undefined
      ? await openSqlite({ file: databaseFile, missing })
      : await openPostgresAt(databaseUrl, missing);
  } catch (error) {
    const explained = ["database_missing", "schema_newer", "database_url_invalid"];
    if (explained.includes(codeOf(error) ?? "")) throw error;
    throw cannotUse(
      databaseUrl === undefined ? `the database ${databaseFile}` : "the database of DATABASE_URL",
      error,
    );
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

export function cannotUse(what: string, error: unknown): Fault {
  if (isAccessFault(error)) return error;
  const code = codeOf(error) ?? "database_unusable";
  return new Fault(code, `cannot use ${what}: ${reasonOf(error)}`, { cause: error });
}

/**
 * The reason that the driver gives. Connecting to several addresses fails with several errors, and
 * without a message of its own.
 */
export function reasonOf(error: unknown): string {
  const reason = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return reason instanceof AggregateError
    ? reason.errors.map(messageOf).join("; ")
    : messageOf(reason);
}

/** Whether there is an account. Does not create a database. */
export async function hasAccounts(place: Place): Promise<boolean> {
  try {
    const store = await openStore(place, "refuse");
    try {
      return await store.hasUsers();
    } finally {
      await store.close();
    }
  } catch (error) {
    if (codeOf(error) === "database_missing") return false;
    throw error;
  }
}
