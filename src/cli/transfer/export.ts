import { resolve } from "node:path";
import type { UserReader } from "../../core/accounts/account-store.ts";
import { MAX_ENDED_SESSIONS } from "../../core/sessions/add-ended-sessions.ts";
import type { TransferUser } from "../../core/store.ts";
import { pagesOf } from "../../core/transfer/pages.ts";
import { sessionRowsOf } from "../../core/transfer/session-rows.ts";
import { writeOutput } from "../../files/output-file.ts";
import { printable, printableJson } from "../../files/printable.ts";
import { openStoreToRead } from "../../gate/open-store.ts";
import type { Command, OptionValues } from "../command.ts";
import { counted, SUCCESS } from "../terminal.ts";
import { STORE_SETTINGS } from "../user/accounts.ts";
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
    const form = formIn(options);
    const file = options.to === undefined ? undefined : resolve(String(options.to));
    await using store = await openStoreToRead(settings);
    if (file === undefined) {
      // CSV keeps control characters in names, which a terminal would execute.
      const escapes = options.format === "csv" && terminal.ports.stdout.isTTY === true;
      await writeAll(store, form, (lines) =>
        terminal.printAll(escapes ? lines.map((line) => printable(line)) : lines),
      );
      return SUCCESS;
    }
    const problem = overwriteProblem(file, options);
    if (problem !== undefined) return terminal.fail(problem);
    const users = await writeOutput(file, (output) =>
      writeAll(store, form, (lines) => output.writeFile(lines.map((line) => `${line}\n`).join(""))),
    );
    return terminal.succeed(`Exported ${counted(users, "user")} to ${file}`);
  },
};

/** How a format writes users. */
interface Form {
  readonly header: readonly string[];
  line(user: TransferUser): string;
}

function formIn({ format = "json", ...options }: OptionValues): Form {
  const hashes = options["with-hashes"] === true;
  const fields = ({ id, username, passwordHash, sessionsFrom, ...user }: TransferUser) => ({
    id,
    username,
    ...(hashes && { password_hash: passwordHash }),
    sessions_from: sessionsFrom,
    ...(hashes && {
      ended_sessions: user.endedSessions,
      codes: user.codes,
      passkeys: user.passkeys,
      sessions: currentSessions(user.sessions),
    }),
  });
  if (format === "json") return { header: [], line: (user) => printableJson(fields(user)) };
  const all = "id,username,password_hash,sessions_from,ended_sessions,codes,passkeys,sessions";
  return {
    header: [hashes ? all : "id,username,sessions_from"],
    line: (user) => csvLine(Object.values(fields(user)).map((value = "") => String(value))),
  };
}

/** Without those that have expired, and so many that a line is not too long for an import. */
function currentSessions(text: string | undefined): string | undefined {
  const now = Date.now();
  const rows = sessionRowsOf(text)
    .filter(([, , , expiresAt]) => expiresAt > now)
    .toSorted(([, , one], [, , other]) => other - one)
    .slice(0, MAX_ENDED_SESSIONS);
  return rows.length === 0 ? undefined : JSON.stringify(rows);
}

/** Returns the number of users. */
async function writeAll(
  store: UserReader,
  { header, line }: Form,
  write: (lines: readonly string[]) => Promise<void>,
): Promise<number> {
  await write(header);
  let written = 0;
  for await (const users of pagesOf("", (query) => store.readUsers(query))) {
    await write(users.map(line));
    written += users.length;
  }
  return written;
}
