import { renameSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { throughName } from "../../gate/files/partial-file.ts";
import { copyDatabase } from "../../stores/sqlite/backup.ts";
import { type Command, FAILURE, SUCCESS } from "../command.ts";
import { STORE_SETTINGS } from "../user/accounts.ts";
import { amounts } from "./amounts.ts";
import { takenBy } from "./files.ts";
import { progressDisplay } from "./progress.ts";
import { isSameFile } from "./sqlite-file.ts";

export const backupCommand: Command = {
  name: "backup",
  summary: "Copies the SQLite database into a file, as it is at one moment, and checks the copy.",
  operands: [{ name: "file", need: "required", completes: "file" }],
  options: [{ name: "force", about: "overwrites the file where there is one" }],
  settings: STORE_SETTINGS,

  async run(settings, options, terminal) {
    const { databaseFile, databaseUrl } = settings;
    const file = resolve(String(options.file));
    if (databaseUrl !== undefined) {
      terminal.complain("the accounts are in PostgreSQL: pg_dump makes a backup of them");
      return FAILURE;
    }
    if (isSameFile(file, databaseFile)) {
      terminal.complain(`${file} is the database itself`);
      return FAILURE;
    }
    const taken = takenBy(file, options);
    if (taken !== undefined) {
      terminal.complain(taken);
      return FAILURE;
    }
    const display = progressDisplay(process.stderr, () => performance.now());
    try {
      const inventory = await throughName(file, {
        work: (name) =>
          copyDatabase({
            ...{ from: databaseFile, source: "live", to: name },
            progress: (pages) => display.show({ step: "copying", pages }),
          }),
        put(unfinished) {
          // What SQLite once left beside an older file of the name must not get into this one.
          for (const suffix of ["-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
          renameSync(unfinished, file);
        },
      });
      display.end();
      terminal.print(`Backed up ${amounts(inventory)} to ${file}`);
      return SUCCESS;
    } finally {
      display.end();
    }
  },
};
