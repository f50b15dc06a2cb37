import { resolve } from "node:path";
import { settleSecret } from "../../gate/make-secret-file.ts";
import { type DisposableStore, openStore } from "../../gate/open-store.ts";
import type { Settings } from "../../gate/settings/settings.ts";
import { Fault, getErrorCode, getErrorMessage } from "../../lib/fault.ts";
import { formatFileError } from "../../lib/files/file-error.ts";
import { toPrintable } from "../../lib/files/printable.ts";
import { readSmallFile, type SmallFile } from "../../lib/files/small-file.ts";
import { type Accounts, createAccounts, nameDatabase, quote, STORE_SETTINGS } from "../accounts.ts";
import { type Command, formatCount, type Terminal } from "../command.ts";
import { makePlan, NOTHING, type Plan, type Unlisted } from "./make-plan.ts";
import { type FileProblem, readDocument } from "./read-document.ts";
import { formatStep, runStep } from "./run-step.ts";
import { getFolder, readWantedState } from "./wanted-state.ts";

const STANDARD_INPUT = "-";
const MAX_FILE_BYTES = 1_048_576;

export const command: Command = {
  details:
    "The file is YAML or JSON, without passwords and secrets, so that it can be kept in git. A field that is left out keeps its value, and so does everything that the file does not name. Applying the file again changes nothing. All of it is checked before the first change. A new user has no password: latchkey link reset prints a link to choose one. A new client secret is printed once, unless secretFile names a file that has it. The file - is standard input.",
  operands: [{ name: "file", need: "required", completes: "file" }],
  options: [
    {
      name: "dry-run",
      about: "change nothing, and print what would change and what the file does not name",
    },
    { name: "prune", about: "remove users and apps that the file does not name, except guests" },
    { name: "create", about: "create a missing database, or the tables in an empty one" },
  ],
  settings: [...STORE_SETTINGS, "SETUP_TOKEN_FILE"],
  examples: [
    "latchkey apply --dry-run access.yaml",
    "latchkey apply access.yaml",
    "latchkey apply --create - < access.yaml",
  ],

  async run(settings, options, terminal) {
    const file = String(options.file);
    const name = file === STANDARD_INPUT ? "standard input" : file;
    const read = readDocument(await readFile(file, terminal));
    if (read.kind === "broken") return reportProblems(read.problems, name, 0, terminal);
    const { document } = read;
    const folder = file === STANDARD_INPUT ? resolve("") : getFolder(file);
    const { state, problems } = readWantedState(document, folder);
    if (problems.length > 0) return reportProblems(problems, name, 0, terminal);

    const unlisted = options.prune === true ? "remove" : "leave";
    const missing = options.create === true ? "create" : "refuse";
    await using opened = new AsyncDisposableStack();
    if (options["dry-run"] === true) {
      const existing = await openCurrent(settings, "read", missing);
      if (existing !== undefined) opened.use(existing);
      const shown = unlisted === "remove" ? unlisted : "list";
      const plan = await makePlan(existing ?? NOTHING, state, document, shown);
      return reportPlan(plan, name, unlisted, terminal);
    }
    const existing = await openCurrent(settings, "refuse", missing);
    const store = opened.use(existing ?? (await openStore(settings, "create")));
    // A file that takes the last administrator away is a mistake.
    const accounts = createAccounts(store, await settleSecret(settings), terminal, "an-admin");
    const code = await apply(accounts, name, () => makePlan(store, state, document, unlisted));
    nameDatabase(settings, terminal);
    return code;
  },
};

async function readFile(file: string, { system }: Terminal): Promise<Uint8Array> {
  const read = file === STANDARD_INPUT ? await readInput(system.stdin) : readNamedFile(file);
  switch (read.kind) {
    case "content":
      return read.content;
    case "not-a-file":
      throw new Fault(
        "file_unusable",
        `${file} is not a regular file: pass it to standard input, as -`,
      );
    case "too-large":
      throw new Fault(
        "file_unusable",
        `${file === STANDARD_INPUT ? "standard input" : file} is larger than 1 MiB`,
      );
  }
}

function readNamedFile(file: string): SmallFile {
  try {
    return readSmallFile(resolve(file), MAX_FILE_BYTES);
  } catch (error) {
    throw new Fault("file_unusable", formatFileError("read", file, error), { cause: error });
  }
}

async function readInput(input: NodeJS.ReadableStream): Promise<SmallFile> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of input) {
    const bytes = Buffer.from(piece);
    size += bytes.length;
    if (size > MAX_FILE_BYTES) return { kind: "too-large" };
    pieces.push(bytes);
  }
  return { kind: "content", content: new Uint8Array(Buffer.concat(pieces)) };
}

/** Opens the database. Returns `undefined` if it is missing and the command may create it. */
async function openCurrent(
  settings: Settings,
  access: "read" | "refuse",
  missing: "create" | "refuse",
): Promise<DisposableStore | undefined> {
  try {
    return await openStore(settings, access);
  } catch (error) {
    if (getErrorCode(error) !== "database_missing") throw error;
    if (missing === "create") return undefined;
    const text = `${getErrorMessage(error)}: --create creates it`;
    throw new Fault("database_missing", text, { cause: error });
  }
}

/** Reports all problems by their lines, in the form that editors and terminals link. */
function reportProblems(
  problems: readonly FileProblem[],
  name: string,
  changes: number,
  terminal: Terminal,
): number {
  for (const { line, place, text } of problems.toSorted((one, other) => one.line - other.line))
    terminal.complain(`${name}:${line}: ${place === "" ? "" : `${place}: `}${text}`);
  return terminal.fail(`${formatDone(changes)}: ${formatCount(problems.length, "problem")}`);
}

/** A dry run lists at most this many users, and this many apps, that the file does not name. */
const MAX_LISTED = 100;

async function reportPlan(
  { steps, problems, unlisted: { users, apps } }: Plan,
  name: string,
  unlisted: Unlisted,
  terminal: Terminal,
): Promise<number> {
  if (problems.length > 0) return reportProblems(problems, name, 0, terminal);
  const lines = steps.map((step) => formatStep(step, "planned"));
  if (unlisted !== "remove") {
    lines.push(...listUnlisted("user", users), ...listUnlisted("app", apps));
  }
  await terminal.printAll(lines.map(toPrintable));
  return terminal.succeed(
    steps.length === 0 ? NO_CHANGE : `Would make ${formatCount(steps.length, "change")}.`,
  );
}

const NO_CHANGE = "Nothing to change.";

function listUnlisted(what: string, names: readonly string[]): readonly string[] {
  const lines = names.slice(0, MAX_LISTED).map((name) => `not in the file: ${what} ${quote(name)}`);
  const more = names.length - lines.length;
  return more === 0 ? lines : [...lines, `not in the file: ${formatCount(more, `more ${what}`)}`];
}

/** A plan that others have overtaken is made again this often. */
const MAX_ROUNDS = 5;

/**
 * Runs plans until nothing is left to change. Each step is complete by itself, so that after a crash
 * the same command does what is left.
 */
async function apply(accounts: Accounts, name: string, plan: () => Promise<Plan>): Promise<number> {
  const { terminal } = accounts;
  let changes = 0;
  let newUsers = 0;
  for (let round = 1; ; round += 1) {
    const { steps, problems } = await plan();
    if (problems.length > 0) return reportProblems(problems, name, changes, terminal);
    const refusals: string[] = [];
    for (const step of steps) {
      const outcome = await runStep(accounts, step).catch((error) => {
        throw explainStop(error, changes);
      });
      if (outcome.kind !== "done") refusals.push(outcome.reason);
      if (outcome.kind === "refused") continue;
      changes += 1;
      if (step.kind === "add-user") newUsers += 1;
      terminal.print(toPrintable(outcome.line));
    }
    if (refusals.length > 0 && round < MAX_ROUNDS) continue;
    if (newUsers > 0) terminal.complain(explainNewUsers(newUsers));
    if (refusals.length === 0)
      return terminal.succeed(
        changes === 0 ? NO_CHANGE : `Made ${formatCount(changes, "change")}.`,
      );
    for (const reason of refusals) terminal.complain(reason);
    return terminal.fail(
      `${formatDone(changes)}, and ${formatCount(refusals.length, "change")} refused`,
    );
  }
}

const formatDone = (changes: number): string =>
  changes === 0 ? "nothing was changed" : `made ${formatCount(changes, "change")}`;

const explainNewUsers = (count: number): string =>
  `${formatCount(count, "new user has", "new users have")} no password yet: latchkey link reset NAME prints a link to choose one`;

/** Adds what was done before a failure, such as a lost connection to the database. */
function explainStop(error: unknown, changes: number): Fault {
  const text = `${getErrorMessage(error)}: ${formatDone(changes)}; apply the file again for the rest`;
  return new Fault(getErrorCode(error) ?? "apply_stopped", text, { cause: error });
}
