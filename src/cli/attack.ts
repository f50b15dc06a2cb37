import type { Attack, Need } from "../attack/attack.ts";
import { attacks } from "../attack/attacks.ts";
import { enter } from "../attack/enter.ts";
import { findTarget, NoTarget } from "../attack/find.ts";
import { type Result, runAttacks } from "../attack/run.ts";
import type { Target } from "../attack/target.ts";
import { DEVELOPMENT_SECRET } from "../core/session-token.ts";
import { isClean, jsonOf, linesOf, summaryOf } from "./attack-report.ts";
import { type Command, FAILURE, type OptionValues, SUCCESS, UsageError } from "./command.ts";
import { askSecrets } from "./prompt.ts";
import type { Terminal } from "./terminal.ts";
import { newPassword } from "./user/new-password.ts";

const WITHIN_MINUTES = 10;

export const attackCommand: Command = {
  name: "attack",
  summary:
    "Tries known attacks on a running Latchkey. By itself it changes nothing, locks nobody out and is no load.",
  operands: [{ name: "url", need: "required" }],
  options: [
    {
      name: "username",
      value: "name",
      about: "also what takes a session: an account to throw away",
    },
    { name: "password-stdin", about: "reads its password from standard input instead of asking" },
    { name: "guarded", value: "paths", about: "further paths that must be guarded, by commas" },
    {
      name: "disturb",
      about: "also what shuts this address out for a minute, or may disturb others",
    },
    {
      name: "fresh",
      about: "everything, floods too, on a server on this machine without an account",
    },
    { name: "json", about: "prints one JSON object" },
  ],
  settings: [],

  async run(_settings, options, terminal) {
    const target = await found(options);
    if (target instanceof NoTarget) {
      terminal.complain(target.message);
      return FAILURE;
    }
    if (options.username !== undefined) {
      const username = String(options.username);
      const password = await passwordOf(username, options);
      if ((await enter(target, username, password)) === "refused") {
        terminal.complain("the sign-in was refused: a wrong password, or too many in this minute");
        return FAILURE;
      }
    }
    const results = await attack(target, options, terminal);
    if (options.json === true) terminal.print(jsonOf(target.url, results, target.attempts));
    else terminal.print(`\n${summaryOf(results, target.attempts)}`);
    return isClean(results) ? SUCCESS : FAILURE;
  },
};

/** A server that is not there is no wrong usage; one that may not be attacked like that is. */
async function found(options: OptionValues): Promise<Target | NoTarget> {
  const url = String(options.url);
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new UsageError("attack takes a URL such as https://auth.example.org");
  }
  const { username, fresh } = options;
  if (fresh === true && username !== undefined) {
    throw new UsageError("attack takes either --username or --fresh, which makes its own account");
  }
  if (username === undefined && options["password-stdin"] === true) {
    throw new UsageError("--password-stdin takes --username");
  }
  try {
    return await findTarget({
      url,
      guarded: String(options.guarded ?? "")
        .split(",")
        .filter((path) => path !== ""),
      knownSecrets: [DEVELOPMENT_SECRET],
      fresh: fresh === true,
    });
  } catch (error) {
    if (!(error instanceof NoTarget)) throw error;
    if (error.fault === "usage") throw new UsageError(error.message);
    return error;
  }
}

async function passwordOf(username: string, options: OptionValues): Promise<string> {
  if (options["password-stdin"] === true) return newPassword(options);
  if (!process.stdin.isTTY) {
    throw new UsageError("there is no terminal to ask at: use --password-stdin");
  }
  const [password = ""] = await askSecrets([`Password of ${username}: `]);
  return password;
}

function granted({ username, disturb, fresh }: OptionValues): ReadonlySet<Need> {
  return new Set<Need>([
    ...(fresh === true ? (["account", "disturb", "fresh"] as const) : []),
    ...(username === undefined ? [] : (["account"] as const)),
    ...(disturb === true ? (["disturb"] as const) : []),
  ]);
}

async function attack(
  target: Target,
  options: OptionValues,
  terminal: Terminal,
): Promise<readonly Result[]> {
  const display = progressOf(process.stderr, attacks.length);
  terminal.complain(
    `${attacks.length} attacks on ${target.url}, in ${WITHIN_MINUTES} minutes at most`,
  );
  return runAttacks(target, {
    attacks,
    granted: granted(options),
    withinMs: WITHIN_MINUTES * 60_000,
    started: display.started,
    finished(result) {
      display.clear();
      if (options.json !== true) for (const line of linesOf(result)) terminal.print(line);
    },
  });
}

/** Which attack is under way, on a terminal; elsewhere the lines that are done say enough. */
function progressOf(
  output: { readonly isTTY?: boolean; write(text: string): unknown },
  total: number,
): { started(attack: Attack, number: number): void; clear(): void } {
  const show = (text: string): void => {
    if (output.isTTY === true) output.write(`\r${text}\u001b[K`);
  };
  return {
    started: ({ name }, number) => show(`${number} of ${total}: ${name}`),
    clear: () => show(""),
  };
}
