import { existsSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { Fault, messageOf } from "../../core/fault.ts";
import type { Amounts, Portion } from "../../core/transfer/transfer-store.ts";
import { accessFault, explained } from "../database-access.ts";
import { isThere, openExisting } from "../database-file.ts";
import { newerSchema } from "../newer-schema.ts";
import { isBarred, isBusy, retryWhileBusy } from "./busy.ts";
import { NEWEST_SCHEMA, versionOf } from "./schema.ts";

const PAGES_AT_ONCE = 256;

export interface FileCopy {
  readonly from: string;
  /** Only of a file that nobody writes to can one on a read-only disk be read. */
  readonly source: "live" | "at-rest";
  /** An empty file, which keeps its mode. */
  readonly to: string;
  readonly progress: (pages: Portion) => void;
}

/**
 * Copies a database as it is at one moment, whoever goes on writing to it, and makes sure of the
 * copy: what cannot be relied on is a Fault.
 */
export async function copyDatabase({
  from,
  source: kind,
  to,
  progress,
}: FileCopy): Promise<Amounts> {
  const source = openToRead(from, kind);
  try {
    const before = await retryWhileBusy(() => {
      // Held until the end: otherwise the copy would begin anew with every commit of somebody else.
      if (!source.isTransaction) source.exec("BEGIN");
      return takeInventory(source, from);
    });
    await backup(source, to, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) =>
        progress({ done: totalPages - remainingPages, total: totalPages }),
    });
    const after = verify(to);
    if (after.users === before.users && after.entries === before.entries) return after;
    throw new Fault("copy_different", `the copy of ${from} has not all that is in it`);
  } finally {
    source.close();
  }
}

function openToRead(file: string, kind: FileCopy["source"]): DatabaseSync {
  if (!isThere(file)) throw new Fault("database_missing", `there is no database at ${file}`);
  return kind === "at-rest" && !existsSync(`${file}-wal`) ? openUnwritten(file) : openLive(file);
}

function openLive(file: string): DatabaseSync {
  try {
    return openExisting(file);
  } catch (error) {
    throw explained(file, error);
  }
}

function openUnwritten(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  url.searchParams.set("immutable", "1");
  return new DatabaseSync(url, { readOnly: true });
}

function verify(file: string): Amounts {
  const database = openUnwritten(file);
  try {
    const inventory = takeInventory(database, file);
    const problems = database.prepare("PRAGMA integrity_check(3)").all();
    const [first] = problems.map((row) => String(row.integrity_check));
    if (first === "ok") return inventory;
    throw new Fault("database_damaged", `${file} is damaged: ${first}`);
  } finally {
    database.close();
  }
}

/** Throws for what is no database of Latchkey, or one of a later Latchkey. */
function takeInventory(database: DatabaseSync, file: string): Amounts {
  const version = looking(file, () => versionOf(database));
  if (version > NEWEST_SCHEMA) throw newerSchema(file, version, NEWEST_SCHEMA);
  if (version === 0) throw new Fault("not_latchkey", `${file} is no database of Latchkey`);
  return looking(file, () => {
    database.prepare("SELECT id, username, password_hash FROM users LIMIT 1").all();
    database.prepare("SELECT id, at, type, summary, author FROM log_entries LIMIT 1").all();
    const row = database
      .prepare(
        `SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM log_entries) AS entries`,
      )
      .get();
    return { users: Number(row?.users), entries: Number(row?.entries) };
  });
}

function looking<T>(file: string, look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (isBusy(error)) throw error;
    const barred = isBarred(error) ? accessFault(file) : undefined;
    if (barred !== undefined) throw barred;
    const reason = messageOf(error);
    throw new Fault("not_latchkey", `${file} is no whole database of Latchkey: ${reason}`);
  }
}
