import { renameSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { refuseEmptyBackup } from "../../stores/sqlite/replace.ts";
import { STORE_SETTINGS } from "../accounts.ts";
import type { Command } from "../command.ts";
import { copySqlite, isSameFile, overwriteProblem } from "./files.ts";
import { amountsText } from "./progress.ts";

export const command: Command = {
  details: "The gate may be running: the copy is the database at one moment, and is checked.",
  operands: [{ name: "file", need: "required", completes: "file" }],
  options: [{ name: "force", about: "overwrite the file if it exists" }],
  settings: STORE_SETTINGS,
  examples: ["latchkey backup latchkey-backup.db"],

  async run(settings, options, terminal) {
    const { database } = settings;
    const file = resolve(String(options.file));
    if (database.kind === "postgres") {
      return terminal.fail("the accounts are in PostgreSQL: back them up with pg_dump");
    }
    if (isSameFile(file, database.file)) return terminal.fail(`${file} is the database itself`);
    const problem = overwriteProblem(file, options);
    if (problem !== undefined) return terminal.fail(problem);
    const put = (unfinished: string): void => {
      refuseEmptyBackup(file, unfinished);
      // The leftovers of an older database of this name must not get into this one.
      for (const suffix of ["-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
      renameSync(unfinished, file);
    };
    const copying = { from: database.file, source: "live", file, put } as const;
    const amounts = await copySqlite(copying, terminal.ports);
    return terminal.succeed(`Backed up ${amountsText(amounts)} to ${file}`);
  },
};
