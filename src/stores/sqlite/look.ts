import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { Fault, messageOf } from "../../core/fault.ts";
import { type DatabaseContents, type DatabaseLook, DENIALS_LOOKED_AT } from "../database-look.ts";
import { isBusy, retryWhileBusy } from "./busy.ts";
import { NEWEST_SCHEMA, versionOf } from "./schema.ts";

/** What a slow disk reads in a few seconds, during which nothing else goes on. */
const LARGEST_CHECKED_BYTES = 256 * 1024 * 1024;

export interface SqliteLook extends DatabaseLook {
  readonly journal: "wal" | "other";
  readonly checked: "all" | "too-large";
  /** What is damaged; empty where nothing is. */
  readonly damage: readonly string[];
}

/**
 * Reads a database that others may be writing to, and leaves no trace: an ordinary reader would make
 * files beside it. Throws for what cannot be read at all.
 */
export async function lookAtSqlite(
  file: string,
  largestChecked: number = LARGEST_CHECKED_BYTES,
): Promise<SqliteLook> {
  const source = sourceOf(file);
  const look = await retryWhileBusy(() => lookOnce(file, source, largestChecked));
  // Whoever began to write meanwhile may have been seen halfway.
  const overtaken = source === "at-rest" && look.damage.length > 0 && sourceOf(file) === "live";
  return overtaken ? lookAtSqlite(file, largestChecked) : look;
}

type Source = "live" | "at-rest";

function sourceOf(file: string): Source {
  if (!existsSync(`${file}-wal`)) return "at-rest";
  if (existsSync(`${file}-shm`)) return "live";
  throw new Fault("database_unclosed", `${file}-wal is there without its -shm`);
}

function lookOnce(file: string, source: Source, largestChecked: number): SqliteLook {
  const database = openUntouched(file, source);
  try {
    const checked = statSync(file).size <= largestChecked ? "all" : "too-large";
    const journal = source === "live" || hasWalHeader(file) ? "wal" : "other";
    const damage = checked === "all" ? damageOf(database) : [];
    const schema = damage.length === 0 ? versionOf(database) : 0;
    const readable = schema > 0 && schema <= NEWEST_SCHEMA;
    const contents = readable ? contentsOf(database) : undefined;
    return { schema, newestSchema: NEWEST_SCHEMA, contents, journal, checked, damage };
  } finally {
    database.close();
  }
}

function openUntouched(file: string, source: Source): DatabaseSync {
  const url = pathToFileURL(file);
  url.searchParams.set(source === "live" ? "readonly_shm" : "immutable", "1");
  return new DatabaseSync(url, { readOnly: true, timeout: 0 });
}

/** Opened as one that nobody writes to, a database does not tell its journal mode itself. */
function hasWalHeader(file: string): boolean {
  const descriptor = openSync(file, "r");
  try {
    const version = Buffer.alloc(1);
    readSync(descriptor, version, 0, 1, WRITE_VERSION_AT);
    return version[0] === WAL_VERSION;
  } finally {
    closeSync(descriptor);
  }
}

const WRITE_VERSION_AT = 18;
const WAL_VERSION = 2;

function damageOf(database: DatabaseSync): readonly string[] {
  try {
    const rows = database.prepare("PRAGMA quick_check(3)").all();
    return rows.map((row) => String(row.quick_check)).filter((text) => text !== "ok");
  } catch (error) {
    if (isBusy(error)) throw error;
    return [messageOf(error)];
  }
}

function contentsOf(database: DatabaseSync): DatabaseContents {
  const newest = database.prepare("SELECT max(at) AS at FROM log_entries").get()?.at;
  const denials = database
    .prepare(
      "SELECT summary FROM log_entries WHERE type = 'signin_rate_limited' ORDER BY id DESC LIMIT ?",
    )
    .all(DENIALS_LOOKED_AT);
  return {
    hasUsers: database.prepare("SELECT 1 FROM users LIMIT 1").get() !== undefined,
    latestEntry: typeof newest === "number" ? new Date(newest) : undefined,
    denials: denials.map(({ summary }) => String(summary)),
  };
}
