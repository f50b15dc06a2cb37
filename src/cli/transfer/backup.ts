import { resolve } from "node:path";
import { copyDatabase, type FileCopy } from "../../db/sqlite/backup.ts";
import {
  belongsToDatabase,
  requireNoDatabase,
  requireOwnName,
} from "../../db/sqlite/database-files.ts";
import { findAccessFault, hasDatabase } from "../../db/sqlite/file.ts";
import { putBackup, replaceDatabase } from "../../db/sqlite/replace.ts";
import type { Amounts } from "../../db/transfer-store.ts";
import { makeDatabaseFolder } from "../../gate/open-store.ts";
import type { Settings } from "../../gate/settings/settings.ts";
import { Fault } from "../../lib/fault.ts";
import { writeOutput } from "../../lib/files/output-file.ts";
import { followOwnLinks } from "../../lib/files/ownership.ts";
import { STORE_SETTINGS } from "../accounts.ts";
import type { Command, Operand, Terminal } from "../command.ts";
import { formatAmounts, requireReadable, requireWritable } from "./transfer.ts";

const FILE: Operand = { name: "file", need: "required", completes: "file" };

export const backup: Command = {
  details: "The gate may be running: the copy is the database at one moment, and is checked.",
  operands: [FILE],
  options: [{ name: "force", about: "overwrite the file if it exists" }],
  settings: STORE_SETTINGS,
  examples: ["latchkey backup latchkey-backup.db"],

  async run(settings, options, terminal) {
    const file = resolve(String(options.file));
    const from = getDatabaseFile(settings, "back them up with pg_dump");
    requireWritable(file, options);
    requireNoDatabase(file, from, "closed-database");
    const put = (unfinished: string): void => {
      // Another process may have opened or created a database with this name meanwhile.
      requireWritable(file, options);
      requireNoDatabase(file, from, "closed-database");
      putBackup(file, unfinished);
    };
    const amounts = await copyFile(file, { from, source: "live" }, terminal, put);
    return terminal.succeed(`Backed up ${formatAmounts(amounts)} to ${file}`);
  },
};

export const restore: Command = {
  details: "Stop the gate first: nothing may have the database open.",
  operands: [FILE],
  options: [
    { name: "force", about: "replace an existing database, which is kept under another name" },
  ],
  settings: STORE_SETTINGS,
  examples: ["latchkey restore latchkey-backup.db", "latchkey restore --force latchkey-backup.db"],

  async run(settings, options, terminal) {
    const from = resolve(String(options.file));
    const database = getDatabaseFile(settings, "restore a dump with pg_restore or psql");
    requireReadable(from);
    if (belongsToDatabase(from, database)) {
      throw new Fault("same_file", `${from} is the database itself, or a part of it`);
    }
    requireOwnName(database);
    const replaces = hasDatabase(database);
    if (replaces && options.force !== true) {
      return terminal.fail(`there is already a database at ${database}: --force replaces it`);
    }
    await makeDatabaseFolder(settings.database);
    const denied = findAccessFault(database);
    if (denied !== undefined) throw denied;
    const file = replaces ? followOwnLinks(database) : database;
    const keptAs = `${file}.replaced-${new Date().toISOString().replace(/[:.]/g, "-")}`;
    const over = options.force === true ? "any" : "nothing";
    const amounts = await copyFile(file, { from, source: "at-rest" }, terminal, (by) =>
      replaceDatabase({ file, by, over, keptAs }),
    );
    const kept = replaces ? `; the previous database is now ${keptAs}` : "";
    return terminal.succeed(`Restored ${formatAmounts(amounts)} to ${file}${kept}`);
  },
};

function getDatabaseFile({ database }: Settings, instead: string): string {
  if (database.kind === "sqlite") return database.file;
  throw new Fault("postgres", `the accounts are in PostgreSQL: ${instead}`);
}

/** @param put Moves the finished copy to its place. */
function copyFile(
  file: string,
  copying: Pick<FileCopy, "from" | "source">,
  terminal: Terminal,
  put: (unfinished: string) => void,
): Promise<Amounts> {
  const onProgress = (copied: number, pages: number): void =>
    terminal.showProgress(`copying: ${copied} of ${pages} pages`);
  const fill = (to: string) => copyDatabase({ ...copying, to, onProgress: onProgress });
  return writeOutput(file, (output) => output.useName(fill), put);
}
