import { resolve } from "node:path";
import type { StoredUser, UserReader } from "../../core/store.ts";
import { throughHandle } from "../../gate/files/partial-file.ts";
import { printable, printableJson } from "../../gate/printable.ts";
import { type Command, FAILURE, type OptionValues, SUCCESS, UsageError } from "../command.ts";
import { STORE_SETTINGS, withAccounts } from "../user/accounts.ts";
import { userPages } from "../user/pages.ts";
import { csvLine } from "./csv.ts";
import { takenBy } from "./files.ts";

export const exportCommand: Command = {
  name: "export",
  summary: "Writes all users as JSON lines or CSV, without their password hashes.",
  options: [
    { name: "with-hashes", about: "with the password hashes: what import takes again" },
    {
      name: "format",
      value: "format",
      about: "json, one object a line (the default), or csv",
      completes: ["json", "csv"],
    },
    { name: "to", value: "file", about: "into a file, for its owner only", completes: "file" },
    { name: "force", about: "overwrites the file where there is one" },
  ],
  settings: STORE_SETTINGS,

  run: (settings, options, terminal) => {
    const form = formIn(options);
    const file = fileIn(options);
    return withAccounts(settings, terminal, async ({ store }) => {
      if (file === undefined) {
        await writeAll(store, form, (lines) => terminal.printAll(shown(lines, options)));
        return SUCCESS;
      }
      const taken = takenBy(file, options);
      if (taken !== undefined) {
        terminal.complain(taken);
        return FAILURE;
      }
      const users = await writeFile(store, form, file);
      terminal.print(`Exported ${users} ${users === 1 ? "user" : "users"} to ${file}`);
      return SUCCESS;
    });
  },
};

interface Form {
  readonly header: readonly string[];
  line(user: StoredUser): string;
}

function formIn({ format = "json", ...options }: OptionValues): Form {
  const hashes = options["with-hashes"] === true;
  if (format === "json") {
    return {
      header: [],
      line: ({ id, username, passwordHash, sessionsFrom }) =>
        printableJson({
          id,
          username,
          password_hash: hashes ? passwordHash : undefined,
          sessions_from: sessionsFrom,
        }),
    };
  }
  const columns = ["id", "username", ...(hashes ? ["password_hash"] : []), "sessions_from"];
  return {
    header: [csvLine(columns)],
    line: ({ id, username, passwordHash, sessionsFrom = "" }) =>
      csvLine([id, username, ...(hashes ? [passwordHash] : []), String(sessionsFrom)]),
  };
}

function fileIn({ to }: OptionValues): string | undefined {
  if (to === undefined) return undefined;
  if (typeof to !== "string" || to === "") throw new UsageError("--to takes a file");
  return resolve(to);
}

const writeFile = (store: UserReader, form: Form, file: string): Promise<number> =>
  throughHandle(file, (output) =>
    writeAll(store, form, async (lines) => {
      await output.writeFile(lines.map((line) => `${line}\n`).join(""));
    }),
  );

/** CSV takes names as they are, and a terminal would obey what is in them. */
const shown = (lines: readonly string[], { format }: OptionValues): readonly string[] =>
  format === "csv" && process.stdout.isTTY ? lines.map((line) => printable(line)) : lines;

/** Answers with the number of users. */
async function writeAll(
  store: UserReader,
  { header, line }: Form,
  write: (lines: readonly string[]) => Promise<void>,
): Promise<number> {
  await write(header);
  let written = 0;
  for await (const users of userPages(store)) {
    await write(users.map(line));
    written += users.length;
  }
  return written;
}
