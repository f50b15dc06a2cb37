import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "../../test/support/free-port.ts";
import type { Contestant } from "./contestants.ts";
import type { Installed } from "./install.ts";
import { ask } from "./load.ts";
import { pinned, usageOf } from "./machine.ts";
import { writeNginx } from "./nginx.ts";
import { SECRET } from "./peers/peer.ts";

const GIVE_UP_AFTER_MS = 20_000;
const POLL_EVERY_MS = 2;

export interface Usage {
  /** The user and system time of all threads so far, in µs. */
  readonly cpu: number;
  /** Resident memory in bytes. */
  readonly memory: number;
}

export interface Server {
  readonly port: number;
  /** The time from the start of the process to the end of the first response, in ms. */
  readonly startTook: number;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/** An installed contestant with its data. */
export interface Place {
  readonly app: Installed;
  readonly data: string;
}

/** Where a server runs: measured, on a core of its own; started, as on a real machine. */
export type Cores = "own" | "all";

export async function plant(
  { peer }: Contestant,
  { app, data }: Place,
  count: number,
): Promise<readonly string[]> {
  const args = [...app.node, app.file("host"), "plant", peer, data, String(count)];
  await promisify(execFile)(process.execPath, args, { env: environment(data, 0), cwd: app.folder });
  return JSON.parse(await readFile(join(data, "cookies.json"), "utf8"));
}

/** Resolves after the first response to the given request. */
export async function launch(
  contestant: Contestant,
  { app, data }: Place,
  first: string,
  cores: Cores,
): Promise<Server> {
  const { peer, program } = contestant;
  const run = [...app.node, "--import", app.file("report")];
  const gate = [process.execPath, ...run, ...app.gate];
  if (program === undefined) {
    const args = [app.file("host"), "serve", peer, data];
    return start([process.execPath, ...run, ...args], app.folder, data, first, cores);
  }
  if (program === "gate") return start(gate, app.folder, data, first, cores);
  if (program !== "nginx-gate") return startNginx(program, data, first, cores, undefined);
  const behind = await start(gate, app.folder, data, first, cores);
  return startNginx(program, data, first, cores, behind);
}

async function start(
  command: readonly string[],
  cwd: string,
  data: string,
  first: string,
  cores: Cores,
): Promise<Server> {
  const port = await freePort();
  const { child, startTook } = await started(command, cwd, environment(data, port), first, cores);
  return {
    port,
    startTook,
    async usage() {
      child.send("usage");
      const [usage] = await once(child, "message", {
        signal: AbortSignal.timeout(GIVE_UP_AFTER_MS),
      });
      return usage as Usage;
    },
    stop: () => end(child),
  };
}

/** Its usage includes that of the gate behind it. */
async function startNginx(
  guard: Parameters<typeof writeNginx>[1],
  data: string,
  first: string,
  cores: Cores,
  behind: Server | undefined,
): Promise<Server> {
  const port = await freePort();
  try {
    const command = await writeNginx(data, guard, port, behind?.port ?? (await freePort()));
    const environs = { ...environment(data, port) };
    const { child, startTook } = await started(command, data, environs, first, cores);
    return {
      port,
      startTook,
      async usage() {
        const [own, other] = [usageOf(child.pid ?? 0), await behind?.usage()];
        return {
          cpu: own.cpu + (other?.cpu ?? 0),
          memory: own.memory + (other?.memory ?? 0),
        };
      },
      async stop() {
        await end(child);
        await behind?.stop();
      },
    };
  } catch (error) {
    await behind?.stop();
    throw error;
  }
}

async function started(
  command: readonly string[],
  cwd: string,
  env: Record<string, string | undefined>,
  first: string,
  cores: Cores,
): Promise<{ child: ChildProcess; startTook: number }> {
  const [program = "", ...args] = [...(cores === "own" ? pinned("server") : []), ...command];
  const begin = performance.now();
  const child = spawn(program, args, { env, cwd, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let complaints = "";
  child.on("error", (error) => {
    complaints = error.message;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaints = `${complaints}${text}`.slice(-1_000);
  });
  try {
    await firstAnswer(child, Number(env.PORT), first, begin + GIVE_UP_AFTER_MS);
  } catch (error) {
    await end(child);
    throw new Error(`the server did not start: ${complaints}`, { cause: error });
  }
  return { child, startTook: performance.now() - begin };
}

/** Without the caller's environment, which could contain settings for a contestant. */
function environment(data: string, port: number): Record<string, string | undefined> {
  const { PATH, HOME, TMPDIR } = process.env;
  return {
    PATH,
    HOME,
    TMPDIR,
    NODE_ENV: "production",
    PORT: String(port),
    DATA_DIR: data,
    AUTH_SECRET: SECRET,
    TRUSTED_PROXIES: "127.0.0.1",
  };
}

async function firstAnswer(
  child: ChildProcess,
  port: number,
  request: string,
  giveUpAt: number,
): Promise<void> {
  while (performance.now() < giveUpAt && child.exitCode === null) {
    try {
      await ask(port, request);
      return;
    } catch {
      await setTimeout(POLL_EVERY_MS);
    }
  }
  throw new Error("no answer");
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
