import { resolve } from "node:path";
import type { Amounts } from "../../core/transfer/amounts.ts";
import { makeDataDir } from "../../gate/files/data-dir.ts";
import { behind } from "../../gate/files/hand-over.ts";
import { throughName } from "../../gate/files/partial-file.ts";
import type { Settings } from "../../gate/settings/settings.ts";
import { accessFault } from "../../stores/database-access.ts";
import { isThere } from "../../stores/database-file.ts";
import { copyDatabase } from "../../stores/sqlite/backup.ts";
import { replaceDatabase } from "../../stores/sqlite/replace.ts";
import { type Command, FAILURE, SUCCESS } from "../command.ts";
import { STORE_SETTINGS } from "../user/accounts.ts";
import { amounts } from "./amounts.ts";
import { unreadable } from "./files.ts";
import { progressDisplay } from "./progress.ts";
import { isSameFile } from "./sqlite-file.ts";

export const restoreCommand: Command = {
  name: "restore",
  summary: "Puts a backup into the place of the SQLite database, while nothing has that open.",
  operands: [{ name: "file", need: "required", completes: "file" }],
  options: [{ name: "force", about: "replaces a database, which is kept under another name" }],
  settings: STORE_SETTINGS,

  async run(settings, options, terminal) {
    const backup = resolve(String(options.file));
    const { databaseFile } = settings;
    const problem = problemWith(backup, settings);
    if (problem !== undefined) {
      terminal.complain(problem);
      return FAILURE;
    }
    const replaces = isThere(databaseFile);
    if (replaces && options.force !== true) {
      terminal.complain(`there is a database at ${databaseFile}: --force replaces it`);
      return FAILURE;
    }
    await makeDataDir(settings.dataDir);
    const barred = accessFault(databaseFile);
    if (barred !== undefined) throw barred;
    const file = replaces ? behind(databaseFile) : databaseFile;
    const keptAs = `${file}.replaced-${new Date().toISOString().replace(/[:.]/g, "-")}`;
    const inventory = await restore(backup, file, keptAs);
    terminal.print(`Restored ${amounts(inventory)} to ${file}`);
    if (replaces) terminal.print(`What was there is now ${keptAs}`);
    return SUCCESS;
  },
};

function problemWith(backup: string, { databaseUrl, databaseFile }: Settings): string | undefined {
  if (databaseUrl !== undefined) {
    return "the accounts are in PostgreSQL: pg_restore or psql brings back what pg_dump wrote";
  }
  const problem = unreadable(backup);
  if (problem !== undefined) return problem;
  return isSameFile(backup, databaseFile) ? `${backup} is the database itself` : undefined;
}

async function restore(backup: string, file: string, keptAs: string): Promise<Amounts> {
  const display = progressDisplay(process.stderr, () => performance.now());
  try {
    return await throughName(file, {
      work: (name) =>
        copyDatabase({
          ...{ from: backup, source: "at-rest", to: name },
          progress: (pages) => display.show({ step: "copying", pages }),
        }),
      put: (unfinished) => replaceDatabase({ file, by: unfinished, keptAs }),
    });
  } finally {
    display.end();
  }
}
