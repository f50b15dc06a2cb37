import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Attack, Need } from "./attack.ts";
import { attacks } from "./attacks.ts";
import { TargetError, UsageError } from "./errors.ts";
import { findTarget } from "./find.ts";
import { type OidcClient, parseClients } from "./oidc/setup.ts";
import { readPassword } from "./password.ts";
import { descriptionLines, isClean, printable, resultLines, summaryOf, toJson } from "./report.ts";
import { type Result, runAttacks } from "./run.ts";
import { signInAs, type Target } from "./target.ts";

const SUCCESS = 0;
const FAILURE = 1;
const WRONG_USAGE = 2;

const MAX_MINUTES = 10;

const HELP = `Usage: latchkey-attack URL [options]

Runs known attacks against a Latchkey sign-in and reports what gets through.
Without options it changes no data, locks no one out and sends little traffic.

Options:
  --username NAME    signs in and runs the attacks that need an account;
                     use an account that you can throw away
  --password-stdin   reads the password from standard input instead of asking
  --clients FILE     a JSON array of apps with id, secret and redirect: runs
                     the attacks on OpenID Connect, too
  --second URL       another instance of the server that shares its database
  --guarded PATHS    further paths that must require a session, comma-separated
  --echo PATH        a guarded path of an app that responds with the headers it
                     receives as JSON: checks what the proxy passes on
  --disturb          also runs attacks that lock this address out of the sign-in
                     for a minute or may disturb other users
  --fresh            runs everything, floods included, against a server on this
                     machine that has no account yet
  --json             prints one JSON object
  --list             describes every attack, and what it needs; sends nothing
  -v, --version      prints the version
  -h, --help         prints this help

Exit code: 0 if nothing got through, 1 if an attack got through or could not be
decided, 2 for wrong usage.

Examples:
  latchkey-attack https://auth.example.org
  latchkey-attack https://auth.example.org --guarded /app --username tester`;

const OPTIONS = {
  username: { type: "string" },
  "password-stdin": { type: "boolean" },
  guarded: { type: "string" },
  clients: { type: "string" },
  second: { type: "string" },
  echo: { type: "string" },
  disturb: { type: "boolean" },
  fresh: { type: "boolean" },
  json: { type: "boolean" },
  list: { type: "boolean" },
  version: { type: "boolean", short: "v" },
  help: { type: "boolean", short: "h" },
} as const;

interface Arguments {
  readonly url: string;
  readonly username: string | undefined;
  readonly passwordStdin: boolean;
  readonly guarded: readonly string[];
  readonly clients: readonly OidcClient[] | undefined;
  readonly secondUrl: string | undefined;
  readonly echo: string | undefined;
  readonly disturb: boolean;
  readonly fresh: boolean;
  readonly json: boolean;
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const complain = (text: string): void =>
  void process.stderr.write(`latchkey-attack: ${printable(text)}\n`);

/** Runs the command line. Results go to standard output; returns the exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // A reader that closes the pipe early (`latchkey-attack … | head`) is not a failure.
    if (error.code === "EPIPE") process.exit(SUCCESS);
    complain(`cannot write: ${error.message}`);
    process.exit(FAILURE);
  });
  try {
    const parsed = parse(args);
    if (parsed === "help") print(HELP);
    else if (parsed === "list") print(attacks.flatMap(descriptionLines).join("\n"));
    else if (parsed === "version") print(version());
    else return await attackUrl(parsed);
    return SUCCESS;
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof TargetError)) throw error;
    complain(error.message);
    return error instanceof UsageError ? WRONG_USAGE : FAILURE;
  }
}

function parse(args: readonly string[]): Arguments | "help" | "list" | "version" {
  const { values, positionals } = parseStrictly(args);
  if (values.help === true) return "help";
  if (values.version === true) return "version";
  if (values.list === true) return "list";
  const [url = "", ...more] = positionals;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url) || more.length > 0) {
    throw new UsageError(
      "expected one URL, for example https://auth.example.org (see latchkey-attack --help)",
    );
  }
  const { username, guarded = "", echo, clients, second } = values;
  if (values.fresh === true && username !== undefined) {
    throw new UsageError("--fresh creates its own account; do not combine it with --username");
  }
  if (second !== undefined && !/^https?:\/\//.test(second)) {
    throw new UsageError("--second is not an http or https URL");
  }
  if (username === undefined && values["password-stdin"] === true) {
    throw new UsageError("--password-stdin needs --username");
  }
  return {
    url,
    username,
    passwordStdin: values["password-stdin"] === true,
    guarded: guarded.split(",").filter((path) => path !== ""),
    clients: clients === undefined ? undefined : readClients(clients),
    secondUrl: second,
    echo,
    disturb: values.disturb === true,
    fresh: values.fresh === true,
    json: values.json === true,
  };
}

/** @throws UsageError if the file cannot be read, or contains something else */
function readClients(file: string): readonly OidcClient[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${Object(error).code ?? error}`);
  }
  return parseClients(text);
}

function parseStrictly(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    // The first sentence names the option; the rest explains parseArgs to programmers.
    const [reason] = String(Object(error).message).split(/[.\n]/, 1);
    throw new UsageError(`${reason} (see latchkey-attack --help)`);
  }
}

function version(): string {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return String(JSON.parse(manifest).version);
}

async function attackUrl(options: Arguments): Promise<number> {
  const target = await findTarget(options);
  if (options.username !== undefined) {
    const password = await readPassword(
      options.username,
      options.passwordStdin ? "stdin" : "terminal",
    );
    if ((await signInAs(target, options.username, password)) === "rejected") {
      complain("the sign-in failed: wrong password, or too many attempts within a minute");
      return FAILURE;
    }
  }
  const results = await runAll(target, options);
  if (options.json) print(toJson(target.url, results, target.attempts));
  else print(`\n${summaryOf(results, target.attempts)}`);
  return isClean(results) ? SUCCESS : FAILURE;
}

function grantedBy({ fresh, username, disturb, echo, clients }: Arguments): ReadonlySet<Need> {
  const granted = new Set<Need>(fresh ? ["account", "disturb", "fresh"] : []);
  if (echo !== undefined) granted.add("echo");
  if (clients !== undefined) granted.add("clients");
  if (username !== undefined) granted.add("account");
  if (disturb) granted.add("disturb");
  return granted;
}

function runAll(target: Target, options: Arguments): Promise<readonly Result[]> {
  const versions = target.versions.map((version) => `HTTP/${version}`).join(" and ");
  complain(
    `running ${attacks.length} attacks on ${target.url} over ${versions}, for ${MAX_MINUTES} minutes at most`,
  );
  return runAttacks(target, {
    attacks,
    granted: grantedBy(options),
    withinMs: MAX_MINUTES * 60_000,
    started: showProgress,
    finished(result) {
      clearProgress();
      if (!options.json) for (const line of resultLines(result)) print(line);
    },
  });
}

/** Shows the running attack on a terminal. Elsewhere the result lines are enough. */
function showProgress({ name }: Attack, number: number): void {
  if (process.stderr.isTTY)
    process.stderr.write(`\r${number} of ${attacks.length}: ${name}\u001b[K`);
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
}
