import { resolve } from "node:path";
import { followOwnLinks } from "../../files/ownership.ts";
import { makeFolderOf } from "../../gate/open-store.ts";
import { accessFault, databaseExists } from "../../stores/sqlite/file.ts";
import { replaceDatabase } from "../../stores/sqlite/replace.ts";
import { STORE_SETTINGS } from "../accounts.ts";
import type { Command } from "../command.ts";
import { copySqlite, isSameFile, readProblem } from "./files.ts";
import { amountsText } from "./progress.ts";

export const command: Command = {
  details: "Stop the gate first: nothing may have the database open.",
  operands: [{ name: "file", need: "required", completes: "file" }],
  options: [
    { name: "force", about: "replace an existing database, which is kept under another name" },
  ],
  settings: STORE_SETTINGS,
  examples: ["latchkey restore latchkey-backup.db", "latchkey restore --force latchkey-backup.db"],

  async run(settings, options, terminal) {
    const backup = resolve(String(options.file));
    const { database } = settings;
    if (database.kind === "postgres") {
      return terminal.fail(
        "the accounts are in PostgreSQL: restore a dump with pg_restore or psql",
      );
    }
    const { file: databaseFile } = database;
    const problem = readProblem(backup);
    if (problem !== undefined) return terminal.fail(problem);
    if (isSameFile(backup, databaseFile)) return terminal.fail(`${backup} is the database itself`);
    const replaces = databaseExists(databaseFile);
    if (replaces && options.force !== true) {
      return terminal.fail(`there is already a database at ${databaseFile}: --force replaces it`);
    }
    await makeFolderOf(database);
    const denied = accessFault(databaseFile);
    if (denied !== undefined) throw denied;
    const file = replaces ? followOwnLinks(databaseFile) : databaseFile;
    const keptAs = `${file}.replaced-${new Date().toISOString().replace(/[:.]/g, "-")}`;
    const over = options.force === true ? "any" : "nothing";
    const put = (by: string): void => replaceDatabase({ file, by, over, keptAs });
    const copying = { from: backup, source: "at-rest", file, put } as const;
    const amounts = await copySqlite(copying, terminal.ports);
    const kept = replaces ? `; the previous database is now ${keptAs}` : "";
    return terminal.succeed(`Restored ${amountsText(amounts)} to ${file}${kept}`);
  },
};
