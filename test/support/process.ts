import { type ChildProcess, spawn } from "node:child_process";
import { type EventEmitter, once } from "node:events";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";

/** What a program of a test inherits: where to find others, and what the run has compiled. */
export const INHERITED: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};

/** The program `latchkey`. */
export const MAIN: string = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

export interface Running {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves once standard output or standard error matches. Rejects if the process ends before. */
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<Ending>;
}

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `latchkey …` as a process that ends with the test. */
export function startLatchkey(
  t: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
): Running {
  return startNode(t, ["--", MAIN, ...args], env, cwd);
}

/** The same for any other Node program. */
export const startNode = (
  t: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd?: string,
): Running => startProgram(t, process.execPath, args, env, cwd);

/** The same for any program. */
export function startProgram(
  t: TestContext,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string = process.cwd(),
): Running {
  const child = spawn(program, args, {
    cwd,
    env: { ...INHERITED, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
    child.emit("output");
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
    child.emit("output");
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, ...output }));
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    child,
    ended,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    shows: (pattern) => waitForOutput(child, output, pattern, ended),
  };
}

/** Waits until the output matches; `source` emits `output` when there is more. Rejects at the end. */
export async function waitForOutput(
  source: EventEmitter,
  output: { readonly stdout: string; readonly stderr: string },
  pattern: RegExp,
  ended: Promise<unknown>,
): Promise<RegExpExecArray> {
  let over = false;
  for (;;) {
    const match = pattern.exec(output.stdout) ?? pattern.exec(output.stderr);
    if (match !== null) return match;
    if (over) throw new Error(`ended without ${pattern}: ${output.stdout}${output.stderr}`);
    await Promise.race([
      once(source, "output"),
      ended.then(() => {
        over = true;
      }),
    ]);
  }
}

/** Starts a gate as a process on a free port, and returns it with its address. */
export async function startServe(
  t: TestContext,
  env: Readonly<Record<string, string>>,
): Promise<Running & { readonly url: string }> {
  const running = startLatchkey(t, ["serve"], { PORT: "0", ...env });
  const [, url = ""] = await running.shows(/Latchkey listens on (http:\S+?)"/);
  return { ...running, url };
}
