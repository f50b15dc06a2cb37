import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { getErrorCode } from "../../src/lib/fault.ts";
import { eventually } from "./eventually.ts";
import type { Account } from "./postgres-binaries.ts";
import type { GuardedFolder } from "./postgres-folder.ts";
import { ENVIRONMENT } from "./postgres-run.ts";

export type Settings = Readonly<Record<string, string | number>>;

/** `fast` closes connections first; `immediate` and `kill` need crash recovery at the next start. */
export type Ending = "fast" | "immediate" | "kill";

const SIGNALS: Readonly<Record<Ending, NodeJS.Signals>> = {
  fast: "SIGINT",
  immediate: "SIGQUIT",
  kill: "SIGKILL",
};

/** One server process and its children, on the data folder `data` below the guarded folder. */
export interface Server {
  start(settings: Settings): Promise<void>;
  /** Resolves once every process of the server has ended. Does nothing if it does not run. */
  stop(how: Ending): Promise<void>;
  /** Sends SIGSTOP or SIGCONT to every process of the server. */
  signal(signal: "SIGSTOP" | "SIGCONT"): Promise<void>;
}

export function serverIn(folder: GuardedFolder, bin: string, account: Account): Server {
  let child: ChildProcess | undefined;
  return {
    async start(settings) {
      if (child !== undefined) throw new Error("PostgreSQL is already running");
      child = spawnServer(folder, bin, account, settings);
      folder.guard(child.pid);
      child.once("exit", () => {
        child = undefined;
        folder.guard(undefined);
      });
      await readiness(folder.path, child);
    },

    async stop(how) {
      if (child === undefined) return;
      const exited = once(child, "exit");
      const processes = await processesOf(child);
      child.kill(SIGNALS[how]);
      for (const pid of processes) sendTo(pid, "SIGCONT");
      await exited;
      await eventually(
        async () => (await Promise.all(processes.map(isGone))).every(Boolean) || undefined,
      );
    },

    async signal(signal) {
      if (child === undefined) throw new Error("PostgreSQL is not running");
      // The parent first, so that it starts no more children.
      child.kill(signal);
      for (const pid of await processesOf(child)) sendTo(pid, signal);
    },
  };
}

function spawnServer(
  folder: GuardedFolder,
  bin: string,
  account: Account,
  settings: Settings,
): ChildProcess {
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const log = openSync(join(folder.path, "log"), "w");
  try {
    return spawn(join(bin, "postgres"), ["-D", join(folder.path, "data"), ...args], {
      cwd: folder.path,
      env: ENVIRONMENT,
      stdio: ["ignore", log, log],
      ...account,
    });
  } finally {
    closeSync(log);
  }
}

async function readiness(path: string, child: ChildProcess): Promise<void> {
  let over = child.pid === undefined;
  child.once("error", () => {
    over = true;
  });
  child.once("exit", () => {
    over = true;
  });
  await eventually(async () => {
    if (over) throw new Error(`PostgreSQL did not start: ${await read(join(path, "log"))}`);
    const [pid, , , , , , , status] = (await read(join(path, "data/postmaster.pid"))).split("\n");
    return (Number(pid) === child.pid && status?.trim() === "ready") || undefined;
  });
}

function read(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}

/** The PIDs of the server and its children, which are all direct ones. Linux only. */
async function processesOf({ pid }: ChildProcess): Promise<readonly number[]> {
  if (pid === undefined) return [];
  const children = await read(`/proc/${pid}/task/${pid}/children`);
  return [pid, ...children.split(" ").filter(Boolean).map(Number)];
}

/** Ignores processes that have already ended. */
function sendTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (getErrorCode(error) !== "ESRCH") throw error;
  }
}

/** A zombie counts as ended. */
async function isGone(pid: number): Promise<boolean> {
  return !/\) [^Z]/.test(await read(`/proc/${pid}/stat`));
}
