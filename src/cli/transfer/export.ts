import { resolve } from "node:path";
import { exportedUsers, exportFields } from "../../core/transfer/export-users.ts";
import { writeOutput } from "../../files/output-file.ts";
import { printable, printableJson } from "../../files/printable.ts";
import { openStoreToRead } from "../../gate/open-store.ts";
import { STORE_SETTINGS } from "../accounts.ts";
import type { Command } from "../command.ts";
import { counted, SUCCESS } from "../terminal.ts";
import { csvLine } from "./csv.ts";
import { overwriteProblem } from "./files.ts";

export const command: Command = {
  details:
    "Password hashes, passkeys, codes and sessions are left out unless --with-hashes is given.",
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
    const form = options.format === "csv" ? csvForm(exportFields(hashes)) : JSON_FORM;
    const file = options.to === undefined ? undefined : resolve(String(options.to));
    await using store = await openStoreToRead(settings);
    const pages = exportedUsers(store.transfer, hashes, Date.now());
    if (file === undefined) {
      // CSV keeps control characters in names, which a terminal would execute.
      const escapes = options.format === "csv" && terminal.ports.stdout.isTTY === true;
      await writeAll(pages, form, (lines) =>
        terminal.printAll(escapes ? lines.map((line) => printable(line)) : lines),
      );
      return SUCCESS;
    }
    const problem = overwriteProblem(file, options);
    if (problem !== undefined) return terminal.fail(problem);
    const users = await writeOutput(file, (output) =>
      writeAll(pages, form, (lines) => output.writeFile(lines.map((line) => `${line}\n`).join(""))),
    );
    return terminal.succeed(`Exported ${counted(users, "user")} to ${file}`);
  },
};

/** How a format writes users. */
interface Form {
  readonly header: readonly string[];
  line(fields: ReadonlyMap<string, unknown>): string;
}

const JSON_FORM: Form = {
  header: [],
  line: (fields) => printableJson(Object.fromEntries(fields)),
};

const csvForm = (names: readonly string[]): Form => ({
  header: [names.join(",")],
  line: (fields) => csvLine(names.map((name) => cellOf(fields.get(name)))),
});

const cellOf = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value ?? "");

/** Returns the number of users. */
async function writeAll(
  pages: ReturnType<typeof exportedUsers>,
  { header, line }: Form,
  write: (lines: readonly string[]) => Promise<void>,
): Promise<number> {
  await write(header);
  let written = 0;
  for await (const users of pages) {
    await write(users.map(line));
    written += users.length;
  }
  return written;
}
