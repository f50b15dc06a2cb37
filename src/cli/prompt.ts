import type { Buffer } from "node:buffer";
import { createInterface, type Interface } from "node:readline/promises";
import { Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { Fault } from "../core/fault.ts";
import { isTooShort, MIN_PASSWORD_BYTES } from "../core/password-length.ts";
import { type OptionValues, UsageError } from "./command.ts";
import type { Ports } from "./terminal.ts";

export const TOO_SHORT: string = `a password needs at least ${MIN_PASSWORD_BYTES} bytes`;

const QUESTIONS = ["New password: ", "Repeat the password: "];

/** From standard input with `--password-stdin`, otherwise asked for twice. Never an argument. */
export async function newPassword(ports: Ports, options: OptionValues): Promise<string> {
  if (options["password-stdin"] === true) return passwordIn(await buffer(ports.stdin));
  requireTerminal(ports, "use --password-stdin");
  const [password = "", again] = await askSecrets(ports, QUESTIONS, refuseShort);
  if (again !== password) {
    throw new Fault("passwords_differ", "the passwords do not match; nothing was changed");
  }
  return password;
}

function refuseShort(password: string): void {
  if (isTooShort(password)) throw new Fault("password_too_short", TOO_SHORT);
}

/** Without the line break that the shell adds. */
function passwordIn(bytes: Buffer): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.replace(/\r?\n$/, "");
  } catch {
    throw new UsageError("the password on standard input is not valid UTF-8");
  }
}

/** Asks a yes-or-no question on standard error. `instead` is the option for use without a terminal. */
export async function confirm(ports: Ports, question: string, instead: string): Promise<boolean> {
  requireTerminal(ports, `use ${instead}`);
  const reading = createInterface({ input: ports.stdin, output: ports.stderr, terminal: true });
  reading.setPrompt(`${question} [y/N] `);
  reading.prompt();
  const [answer = ""] = await answersTo(reading, ports, [""]);
  return /^y(es)?$/i.test(answer.trim());
}

function requireTerminal({ stdin }: Ports, remedy: string): void {
  if (stdin.isTTY !== true) throw new UsageError(`standard input is not a terminal: ${remedy}`);
}

/**
 * Asks the questions in order without showing what is typed. If `check` throws for an answer,
 * the remaining questions are not asked.
 */
export function askSecrets(
  ports: Ports,
  questions: readonly string[],
  check: (answer: string) => void = () => undefined,
): Promise<readonly string[]> {
  // Echo stops when the interface opens, before the first question is shown.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reading = createInterface({ input: ports.stdin, output, terminal: true });
  return answersTo(reading, ports, questions, { afterAnswer: "\n", check });
}

async function answersTo(
  reading: Interface,
  { stderr }: Ports,
  questions: readonly string[],
  {
    afterAnswer = "",
    check = () => undefined,
  }: { readonly afterAnswer?: string; readonly check?: (answer: string) => void } = {},
): Promise<readonly string[]> {
  const lines = reading[Symbol.asyncIterator]();
  const answers: string[] = [];
  try {
    for (const question of questions) {
      stderr.write(question);
      const line = await lines.next();
      stderr.write(line.done === true ? "\n" : afterAnswer);
      // Ctrl-C, or the end of the input.
      if (line.done === true) throw new Fault("stopped", "stopped; nothing was changed");
      check(line.value);
      answers.push(line.value);
    }
    return answers;
  } finally {
    reading.close();
  }
}
