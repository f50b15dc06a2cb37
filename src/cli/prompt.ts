import { isUtf8 } from "node:buffer";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { isTooShort, MIN_PASSWORD_BYTES } from "../identity/password-length.ts";
import { Fault } from "../lib/fault.ts";
import { type CommandOption, type OptionValues, type Process, UsageError } from "./command.ts";

export const PASSWORD_STDIN: CommandOption = {
  name: "password-stdin",
  about: "read the password from standard input instead of asking",
};

const QUESTIONS = ["New password: ", "Repeat the password: "];

/**
 * Reads the password from standard input with `--password-stdin`, or asks for it twice. A password
 * is never an argument.
 */
export async function readNewPassword(system: Process, options: OptionValues): Promise<string> {
  if (options["password-stdin"] === true) {
    const bytes = await buffer(system.stdin);
    if (!isUtf8(bytes)) throw new UsageError("the password on standard input is not valid UTF-8");
    // This removes the line break that the shell adds.
    const pipedPassword = bytes.toString().replace(/\r?\n$/, "");
    requireLength(pipedPassword);
    return pipedPassword;
  }
  requireTerminal(system, "use --password-stdin");
  const [password = "", again] = await readInputs(system, QUESTIONS, "hidden", requireLength);
  if (again !== password) {
    throw new Fault("passwords_differ", "the passwords do not match; nothing was changed");
  }
  return password;
}

function requireLength(password: string): void {
  const text = `a password needs at least ${MIN_PASSWORD_BYTES} bytes`;
  if (isTooShort(password)) throw new Fault("password_too_short", text);
}

/**
 * Asks a yes-or-no question on standard error. `instead` is the option for use without a terminal.
 */
export async function confirm(
  system: Process,
  question: string,
  instead: string,
): Promise<boolean> {
  requireTerminal(system, `use ${instead}`);
  const [input = ""] = await readInputs(system, [`${question} [y/N] `], "shown");
  return /^y(es)?$/i.test(input.trim());
}

function requireTerminal({ stdin }: Process, remedy: string): void {
  if (stdin.isTTY !== true) throw new UsageError(`standard input is not a terminal: ${remedy}`);
}

/**
 * Asks the questions in order. If `check` throws for an input, the remaining questions are skipped.
 */
async function readInputs(
  { stdin, stderr }: Process,
  questions: readonly string[],
  typing: "shown" | "hidden",
  check: (input: string) => void = () => undefined,
): Promise<readonly string[]> {
  const isHidden = typing === "hidden";
  // Echo stops when the interface opens, before the first question is shown.
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = isHidden ? discard : stderr;
  const lineReader = createInterface({ input: stdin, output, terminal: true });
  const lines = lineReader[Symbol.asyncIterator]();
  const inputs: string[] = [];
  try {
    for (const question of questions) {
      lineReader.setPrompt(question);
      lineReader.prompt();
      if (isHidden) stderr.write(question);
      const line = await lines.next();
      if (isHidden || line.done === true) stderr.write("\n");
      // The user pressed Ctrl-C, or the input has ended.
      if (line.done === true) throw new Fault("stopped", "stopped; nothing was changed");
      check(line.value);
      inputs.push(line.value);
    }
    return inputs;
  } finally {
    lineReader.close();
  }
}
