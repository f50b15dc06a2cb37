import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { INHERITED, MAIN } from "../../../test/support/process.ts";
import type { Ending, Env, Point, Tracing } from "./operation.ts";

/** The calls that change a file or a folder, and the error of each. */
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

const HELD = new URL("./held.ts", import.meta.url).href;

/** The exit code after a signal other than ours. */
const ABORTED = 134;

/** One thread for files, so that the calls have the same numbers in each run. */
export const ONE_FILE_THREAD: Env = { UV_THREADPOOL_SIZE: "1" };

interface CommandRun {
  readonly args: readonly string[];
  readonly input: string;
  readonly env: Env;
}

const optionsFor = ({ log, point }: Tracing): readonly string[] => [
  ...["-y", "-o", log, "-e", `trace=${Object.keys(ERRORS)}`],
  ...(point === undefined ? [] : ["-e", injection(point)]),
];

function injection({ call, n, fate }: Point): string {
  const effect = fate === "fails" ? `error=${ERRORS[call]}` : "signal=SIGKILL";
  return `inject=${call}:${effect}:when=${n}`;
}

/** Watches a command, which is held until strace is attached. */
export async function traceCommand(
  { args, input, env }: CommandRun,
  tracing: Tracing,
): Promise<Ending> {
  const child = spawn(process.execPath, ["--import", HELD, "--", MAIN, ...args], {
    env: { ...INHERITED, NO_COLOR: "1", ...ONE_FILE_THREAD, ...env },
    stdio: ["pipe", "ignore", "pipe", "ipc"],
  });
  const closed = once(child, "close");
  const said = child.stderr === null ? "" : text(child.stderr);
  await once(child, "message");
  const { ended } = await attach(child.pid ?? 0, tracing).catch((error) => {
    child.kill("SIGKILL");
    throw error;
  });
  child.send("go");
  child.stdin?.on("error", () => {}).end(input);
  const [code, signal] = await closed;
  await ended;
  return { code: signal === "SIGKILL" ? null : (code ?? ABORTED), said: await said };
}

export class CannotWatch extends Error {}

/** The main thread, in which SQLite runs, and the one for files. */
const WATCHED: readonly string[] = ["node-MainThread", "libuv-worker"];

/**
 * Watches a running process from now on. Resolves once strace sees every call; the result does once
 * the process has ended.
 */
export async function attach(pid: number, tracing: Tracing): Promise<{ ended: Promise<unknown> }> {
  const { thread } = tracing.point ?? {};
  const watched = readdirSync(`/proc/${pid}/task`).filter((one) => {
    const name = readFileSync(`/proc/${pid}/task/${one}/comm`, "utf8").trim();
    return thread === undefined ? WATCHED.includes(name) : name === thread;
  });
  // With `-Y`, the log has the names of the threads.
  const options = ["-Y", ...optionsFor(tracing), ...watched.flatMap((one) => ["-p", one])];
  const child = spawn("strace", options, { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "close").catch(() => {});
  await attached(child, watched.length);
  return { ended };
}

async function attached({ stderr }: ChildProcess, count: number): Promise<void> {
  let said = "";
  for await (const part of stderr?.iterator({ destroyOnReturn: false }) ?? []) {
    said += part;
    if (said.split(" attached").length > count) return void stderr?.resume();
  }
  throw new CannotWatch(`strace cannot watch a process: ${said.trim() || "it is not installed"}`);
}

/** Calls that reach the folder, except those of memory that SQLite shares. */
const reaches = (line: string, folder: string): boolean =>
  line.includes(folder) && !line.includes("-shm>");

/** The calls of a run that reach the folder. */
export function pointsIn(log: string, folder: string): readonly Point[] {
  const counts = new Map<string, number>();
  const found: Omit<Point, "fate">[] = [];
  for (const line of readFileSync(log, "utf8").split("\n")) {
    const [, thread = "", call = ""] = /^\d+<(\S+)> +(\w+)\(/.exec(line) ?? [];
    const n = (counts.get(`${thread} ${call}`) ?? 0) + 1;
    counts.set(`${thread} ${call}`, n);
    if (reaches(line, folder)) found.push({ call, n, thread });
  }
  return found.flatMap((point) =>
    (["fails", "killed"] as const).map((fate) => ({ ...point, fate })),
  );
}

/** Whether the call that failed, or at which the process was killed, reaches the folder. */
export const hasHit = (log: string, folder: string): boolean =>
  readFileSync(log, "utf8")
    .split("\n")
    .some(
      (line) => /(\(INJECTED\)| = \?|<unfinished \.\.\.>)$/.test(line) && reaches(line, folder),
    );
