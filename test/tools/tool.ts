import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";

export interface Using {
  /** The working directory and HOME, so that the tool leaves nothing elsewhere. */
  readonly folder: string;
  readonly withinMs: number;
  readonly input?: string;
}

export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a tool. Kills it with its children if it takes too long or outlives its test. */
export async function runTool(
  t: TestContext,
  program: string,
  args: readonly string[],
  { folder, withinMs, input = "" }: Using,
): Promise<Outcome> {
  const child = spawn(program, args, {
    cwd: folder,
    detached: true,
    env: { PATH: process.env.PATH ?? "", HOME: folder, LANG: "C.UTF-8", TERM: "dumb" },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const ended = once(child, "close");
  t.after(async () => {
    endGroup(child);
    await ended;
  });
  const tooLong = AbortSignal.timeout(withinMs);
  tooLong.addEventListener("abort", () => endGroup(child));
  const [code]: [number | null] = [(await ended)[0]];
  if (code === null) {
    throw new Error(`${program} did not end within ${withinMs} ms: ${output}`);
  }
  return { code, output };
}

function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}
