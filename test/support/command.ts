import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import type { TestContext } from "node:test";
import { runLatchkey } from "../../src/cli/latchkey.ts";
import { waitForOutput } from "./process.ts";

interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** Makes standard output a terminal of this width. */
  readonly columns?: number;
}

export interface RunningCommand {
  stdout(): string;
  stderr(): string;
  /** Sends a signal to the command alone. */
  signal(name: "SIGINT" | "SIGTERM" | "SIGHUP"): void;
  /** Resolves once standard output or standard error matches. Rejects if the command ends before. */
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<{
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
  }>;
}

/** Runs a command in this process, with streams, an environment and signals of its own. */
export function startCommand(args: readonly string[], given: Given = {}): RunningCommand {
  const { env = {}, input = "", columns } = given;
  const written = { stdout: "", stderr: "" };
  const signals = new EventEmitter();
  const output = (name: keyof typeof written): PassThrough => {
    const stream = new PassThrough().setEncoding("utf8");
    return stream.on("data", (text: string) => {
      written[name] += text;
      signals.emit("output");
    });
  };
  const stdin = new PassThrough();
  stdin.end(input);
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  const ended = runLatchkey(args, {
    env,
    stdin,
    stdout: Object.assign(output("stdout"), terminal),
    stderr: output("stderr"),
    on: (signal, listener) => signals.on(signal, listener),
    exit(code) {
      throw new Error(`the command exits at once with ${code}`);
    },
  }).then((code) => ({ code, ...written }));
  return {
    ended,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    signal: (name) => void signals.emit(name, name),
    shows: (pattern) => waitForOutput(signals, written, pattern, ended),
  };
}

/** Runs a command in this process until it ends. */
export const runCommand = (args: readonly string[], given?: Given): RunningCommand["ended"] =>
  startCommand(args, given).ended;

/** The line on standard error with which a command that changes accounts names its database. */
const DATABASE_LINE = /^latchkey: the database is .*\n/m;

/** What a command prints that succeeds, with nothing on standard error but its database. */
export async function outputOf(args: readonly string[], given?: Given): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args, given);
  assert.deepEqual([code, stderr.replace(DATABASE_LINE, "")], [0, ""], args.join(" "));
  return stdout;
}

/** The one line, without `latchkey: `, of a command that fails and prints nothing else. */
export async function failureOf(
  args: readonly string[],
  given?: Given,
  expectedCode = 1,
): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args, given);
  assert.deepEqual([code, stdout], [expectedCode, ""], stderr);
  const [, line] = /^latchkey: ([^\n]+)\n$/.exec(stderr) ?? [];
  assert.ok(line !== undefined, stderr);
  return line;
}

/** `latchkey serve` in this process, on a free port, until the test ends. */
export async function serveHere(
  t: TestContext,
  env: Readonly<Record<string, string>>,
): Promise<RunningCommand & { readonly url: string }> {
  const running = startCommand(["serve"], { env: { PORT: "0", ...env } });
  let stopping = false;
  const signal: RunningCommand["signal"] = (name) => {
    stopping ||= name !== "SIGHUP";
    running.signal(name);
  };
  t.after(async () => {
    // A second signal would end the process.
    if (!stopping) signal("SIGTERM");
    await running.ended;
  });
  const [, url = ""] = await running.shows(/Latchkey listens on (http:\S+?)"/);
  return { ...running, signal, url };
}
