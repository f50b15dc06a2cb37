import { existsSync } from "node:fs";
import { backup, type DatabaseSync } from "node:sqlite";
import { Fault, messageOf } from "../../core/fault.ts";
import type { Amounts, Portion } from "../../core/transfer/transfer-store.ts";
import { newerSchema } from "../inspection.ts";
import {
  accessFault,
  databaseExists,
  explained,
  openExisting,
  openReadOnly,
  UNTRUSTED,
} from "./file.ts";
import { isBusy, isFileError, retryWhileBusy } from "./locking.ts";
import { NEWEST_SCHEMA } from "./schema.ts";
import { requireOwnSchema } from "./schema-check.ts";

const PAGES_AT_ONCE = 256;

export interface FileCopy {
  readonly from: string;
  /** `at-rest`, when no process writes to the file, also works on a read-only disk. */
  readonly source: "live" | "at-rest";
  /** An empty file. It keeps its mode. */
  readonly to: string;
  readonly progress: (pages: Portion) => void;
}

/**
 * Copies a consistent state of the database while other processes write to it, and verifies the
 * copy.
 * @throws A Fault when the copy is damaged or incomplete.
 */
export async function copyDatabase({
  from,
  source: kind,
  to,
  progress,
}: FileCopy): Promise<Amounts> {
  using source = openToRead(from, kind);
  const before = await retryWhileBusy(() => {
    // Open until the end: otherwise every commit of another process would restart the copy.
    if (!source.isTransaction) source.exec("BEGIN");
    return readAmounts(source, from);
  });
  await backup(source, to, {
    rate: PAGES_AT_ONCE,
    progress: ({ totalPages, remainingPages }) =>
      progress({ done: totalPages - remainingPages, total: totalPages }),
  });
  const after = verify(to);
  if (after.users === before.users && after.entries === before.entries) return after;
  throw new Fault(
    "copy_different",
    `the copy of ${from} does not have the same number of users and log entries`,
  );
}

function openToRead(file: string, kind: FileCopy["source"]): DatabaseSync {
  if (!databaseExists(file)) throw new Fault("database_missing", `there is no database at ${file}`);
  try {
    const atRest = kind === "at-rest" && !existsSync(`${file}-wal`);
    return atRest ? openReadOnly(file, "immutable") : openExisting(file, UNTRUSTED);
  } catch (error) {
    throw explained(file, error);
  }
}

function verify(file: string): Amounts {
  using database = openReadOnly(file, "immutable");
  const amounts = readAmounts(database, file);
  const problems = database.prepare("PRAGMA integrity_check(3)").all();
  const [first] = problems.map((row) => String(row.integrity_check));
  if (first === "ok") return amounts;
  throw new Fault("database_damaged", `${file} is damaged: ${first}`);
}

/** @throws A Fault when the file is not a complete Latchkey database that this version can read. */
function readAmounts(database: DatabaseSync, file: string): Amounts {
  const version = reading(file, () => requireOwnSchema(database, file));
  if (version > NEWEST_SCHEMA) throw newerSchema(file, version, NEWEST_SCHEMA);
  if (version <= 0) throw new Fault("not_latchkey", `${file} is not a Latchkey database`);
  const row = reading(file, () => database.prepare(AMOUNTS).get(MAX_ID, MAX_ID));
  if (row?.full === 0) return { users: Number(row.users), entries: Number(row.entries) };
  throw new Fault("database_damaged", `${file} has no IDs left for new log entries`);
}

/** Far more than there will ever be, and far from the numbers that JavaScript cannot represent. */
const MAX_ID = 2 ** 52;

const AMOUNTS = `SELECT (SELECT count(*) FROM users) AS users,
  (SELECT count(*) FROM log_entries) AS entries,
  EXISTS (SELECT 1 FROM log_entries WHERE id > ?)
    OR EXISTS (SELECT 1 FROM sqlite_sequence WHERE seq > ?) AS full`;

function reading<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (isBusy(error) || error instanceof Fault) throw error;
    const denied = isFileError(error) ? accessFault(file) : undefined;
    if (denied !== undefined) throw denied;
    const reason = messageOf(error);
    throw new Fault("not_latchkey", `${file} is not a complete Latchkey database: ${reason}`);
  }
}
