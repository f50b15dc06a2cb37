import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { MAIN } from "../../../test/support/process.ts";
import type { Env } from "./operations.ts";

/** What changes a file or a folder, and the error with which it fails. */
const ERRORS: Readonly<Record<string, string>> = {
  write: "ENOSPC",
  pwrite64: "ENOSPC",
  ftruncate: "EIO",
  fsync: "EIO",
  fdatasync: "EIO",
  link: "EIO",
  rename: "EIO",
  unlink: "EIO",
  mkdir: "ENOSPC",
};

/** The n-th call of this kind in a thread. */
export interface Point {
  readonly call: string;
  readonly n: number;
  readonly fate: "fails" | "killed";
}

export interface Ending {
  readonly code: number | null;
  readonly stderr: string;
}

export interface Run {
  readonly args: readonly string[];
  readonly input: string;
  readonly env: Env;
  readonly log: string;
}

async function trace(options: readonly string[], { args, input, env, log }: Run): Promise<Ending> {
  const program = [process.execPath, "--", MAIN, ...args];
  const traced = ["-f", "-y", "-qq", "-o", log, "-e", `trace=${Object.keys(ERRORS)}`];
  const child = spawn("strace", [...traced, ...options, ...program], {
    // One thread for files, so that the calls have the same numbers in each run.
    env: { PATH: process.env.PATH, NO_COLOR: "1", UV_THREADPOOL_SIZE: "1", ...env },
    stdio: ["pipe", "ignore", "pipe"],
  });
  child.stdin.on("error", () => {}).end(input);
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  return { code, stderr };
}

/** The calls of a run that reach the folder, except those of memory that SQLite shares. */
export async function pointsOf(run: Run, folder: string): Promise<readonly Point[]> {
  const { code, stderr } = await trace([], run);
  if (code !== 0) throw new Error(`${run.args.join(" ")}: ${stderr}`);
  const counts = new Map<string, number>();
  const reached = new Set<string>();
  for (const line of readFileSync(run.log, "utf8").split("\n")) {
    const [, thread, call = ""] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
    const n = (counts.get(`${thread} ${call}`) ?? 0) + 1;
    counts.set(`${thread} ${call}`, n);
    if (line.includes(folder) && !line.includes("-shm>")) reached.add(`${call} ${n}`);
  }
  return [...reached].flatMap((one) => {
    const [call = "", n] = one.split(" ");
    return (["fails", "killed"] as const).map((fate) => ({ call, n: Number(n), fate }));
  });
}

/** Runs a command of which one call fails, or is not reached alive. */
export function runWith({ call, n, fate }: Point, run: Run): Promise<Ending> {
  const effect = fate === "fails" ? `error=${ERRORS[call]}` : "signal=SIGKILL";
  return trace(["-e", `inject=${call}:${effect}:when=${n}`], run);
}
