import { resolve } from "node:path";
import type { Amounts } from "../../core/transfer/transfer-store.ts";
import { makeDataDir } from "../../gate/files/data-dir.ts";
import { writeOutputByName } from "../../gate/files/output-file.ts";
import { followOwnLinks } from "../../gate/files/ownership.ts";
import type { Settings } from "../../gate/settings/settings.ts";
import { copyDatabase } from "../../stores/sqlite/backup.ts";
import { accessFault, databaseExists } from "../../stores/sqlite/file.ts";
import { replaceDatabase } from "../../stores/sqlite/replace.ts";
import type { Command } from "../command.ts";
import type { Ports } from "../terminal.ts";
import { STORE_SETTINGS } from "../user/accounts.ts";
import { isSameFile, readProblem } from "./files.ts";
import { amountsText, progressDisplay } from "./progress.ts";

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
    const { databaseFile } = settings;
    const problem = problemWith(backup, settings);
    if (problem !== undefined) return terminal.fail(problem);
    const replaces = databaseExists(databaseFile);
    if (replaces && options.force !== true) {
      return terminal.fail(`there is already a database at ${databaseFile}: --force replaces it`);
    }
    await makeDataDir(settings.dataDir);
    const denied = accessFault(databaseFile);
    if (denied !== undefined) throw denied;
    const file = replaces ? followOwnLinks(databaseFile) : databaseFile;
    const keptAs = `${file}.replaced-${new Date().toISOString().replace(/[:.]/g, "-")}`;
    const inventory = await restore(backup, file, keptAs, terminal.ports);
    const kept = replaces ? `; the previous database is now ${keptAs}` : "";
    return terminal.succeed(`Restored ${amountsText(inventory)} to ${file}${kept}`);
  },
};

function problemWith(backup: string, { databaseUrl, databaseFile }: Settings): string | undefined {
  if (databaseUrl !== undefined) {
    return "the accounts are in PostgreSQL: restore a dump with pg_restore or psql";
  }
  const problem = readProblem(backup);
  if (problem !== undefined) return problem;
  return isSameFile(backup, databaseFile) ? `${backup} is the database itself` : undefined;
}

async function restore(
  backup: string,
  file: string,
  keptAs: string,
  { stderr }: Ports,
): Promise<Amounts> {
  const display = progressDisplay(stderr, () => performance.now());
  try {
    return await writeOutputByName(file, {
      work: (name) =>
        copyDatabase({
          from: backup,
          source: "at-rest",
          to: name,
          progress: (pages) => display.show({ step: "copying", pages }),
        }),
      put: (unfinished) => replaceDatabase({ file, by: unfinished, keptAs }),
    });
  } finally {
    display.end();
  }
}
