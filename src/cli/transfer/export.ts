import { resolve } from "node:path";
import { getSqliteFile } from "../../db/location.ts";
import { requireNoDatabase } from "../../db/sqlite/database-files.ts";
import { openStore } from "../../gate/open-store.ts";
import { writeOutput } from "../../lib/files/output-file.ts";
import { toPrintable, toPrintableJson } from "../../lib/files/printable.ts";
import { STORE_SETTINGS } from "../accounts.ts";
import { type Command, SUCCESS } from "../command.ts";
import { exportApps } from "./app-lines.ts";
import { formatCsvLine } from "./csv.ts";
import { exportUsers, listExportFields } from "./export-users.ts";
import { formatWritten, requireWritable } from "./transfer.ts";

export const command: Command = {
  details:
    "Password hashes, passkeys, codes, sessions and the secrets of apps are left out unless --with-hashes is given. JSON contains the apps after the users, one per line.",
  options: [
    { name: "with-hashes", about: "include the password hashes, so that import accepts the file" },
    {
      name: "format",
      value: "format",
      about: "json (one object per line, the default) or csv",
      completes: ["json", "csv"],
    },
    {
      name: "to",
      value: "file",
      about: "write to a file that only its owner can read",
      completes: "file",
    },
    { name: "force", about: "overwrite the file if it exists" },
  ],
  settings: STORE_SETTINGS,
  examples: ["latchkey export --format csv", "latchkey export --with-hashes --to users.json"],

  async run(settings, options, terminal) {
    const hashes = options["with-hashes"] === true ? "with" : "without";
    const isCsv = options.format === "csv";
    const names = listExportFields(hashes);
    const formatUser = (fields: ReadonlyMap<string, unknown>): string =>
      isCsv
        ? formatCsvLine(names.map((name) => formatCell(fields.get(name))))
        : toPrintableJson(Object.fromEntries(fields));

    const file = options.to === undefined ? undefined : resolve(String(options.to));
    if (file !== undefined) {
      requireWritable(file, options);
      requireNoDatabase(file, getSqliteFile(settings.database), "no-database");
    }
    await using store = await openStore(settings, "read");
    /** Writes all users, then all apps. Resolves to their numbers. */
    const writeAll = async (
      write: (lines: readonly string[]) => Promise<void>,
    ): Promise<{ readonly users: number; readonly apps: number }> => {
      let written = 0;
      let apps = 0;
      if (isCsv) await write([names.join(",")]);
      for await (const users of exportUsers(store.transfer, hashes, Date.now())) {
        await write(users.map(formatUser));
        written += users.length;
      }
      if (isCsv) {
        const [app] = await store.transfer.readRows("apps", "", 1);
        if (app !== undefined) terminal.complain("left out the apps, which only JSON contains");
        return { users: written, apps };
      }
      for await (const app of exportApps(store.transfer, hashes)) {
        await write([toPrintableJson(app)]);
        apps += 1;
      }
      return { users: written, apps };
    };

    if (file === undefined) {
      // CSV keeps control characters in names, which a terminal would execute.
      const isUnsafe = isCsv && terminal.system.stdout.isTTY === true;
      await writeAll((lines) => terminal.printAll(isUnsafe ? lines.map(toPrintable) : lines));
      return SUCCESS;
    }
    const written = await writeOutput(file, ({ handle: output }) =>
      writeAll((lines) => output.writeFile(lines.map((line) => `${line}\n`).join(""))),
    );
    return terminal.succeed(`Exported ${formatWritten(written)} to ${file}`);
  },
};

const formatCell = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value ?? "");
