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
/**
 * For every contestant: without it, a full collection of V8 among the first requests leaves Node's
 * own queue uncompiled in one start of eight, and each later request costs a fifth more.
 */
const STEADY = "--initial-old-space-size=32";

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
  const run = [process.execPath, STEADY, ...app.node, "--import", app.file("report")];
  const serve = (command: readonly string[]): Promise<Server> =>
    start([...run, ...command], { folder: app.folder, data, first, cores }, askUsage);
  if (program === undefined) return serve([app.file("host"), "serve", peer, data]);
  if (program === "gate") return serve(app.gate);
  const behind = program === "nginx-gate" ? await serve(app.gate) : undefined;
  try {
    const place = { folder: data, data, first, cores };
    const guardPort = behind?.port ?? (await freePort());
    const command = (port: number) => writeNginx(data, program, port, guardPort);
    const nginx = await start(command, place, async ({ pid = 0 }) => usageOf(pid));
    return behind === undefined ? nginx : together(nginx, behind);
  } catch (error) {
    await behind?.stop();
    throw error;
  }
}

/** Two servers that answer a request together. */
const together = (front: Server, behind: Server): Server => ({
  ...front,
  async usage() {
    const [one, other] = [await front.usage(), await behind.usage()];
    return { cpu: one.cpu + other.cpu, memory: one.memory + other.memory };
  },
  async stop() {
    await front.stop();
    await behind.stop();
  },
});

interface Start {
  readonly folder: string;
  readonly data: string;
  readonly first: string;
  readonly cores: Cores;
}

type Command = readonly string[] | ((port: number) => Promise<readonly string[]>);

async function start(
  command: Command,
  { folder, data, first, cores }: Start,
  usage: (child: ChildProcess) => Promise<Usage>,
): Promise<Server> {
  const port = await freePort();
  const own = typeof command === "function" ? await command(port) : command;
  const [program = "", ...args] = [...(cores === "own" ? pinned("server") : []), ...own];
  const begin = performance.now();
  const child = spawn(program, args, {
    env: environment(data, port),
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let complaints = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaints = `${complaints}${text}`.slice(-1_000);
  });
  try {
    await firstAnswer(child, port, first, begin + GIVE_UP_AFTER_MS);
  } catch (error) {
    await endServer(child);
    throw new Error(`the server did not start: ${complaints}`, { cause: error });
  }
  return {
    port,
    startTook: performance.now() - begin,
    usage: () => usage(child),
    stop: () => endServer(child),
  };
}

/** Of the preloaded `report.ts`. */
async function askUsage(child: ChildProcess): Promise<Usage> {
  child.send("usage");
  const [usage] = await once(child, "message", { signal: AbortSignal.timeout(GIVE_UP_AFTER_MS) });
  return usage as Usage;
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

/** Resolves after the first response, which is asked for until there is one. */
export async function firstAnswer(
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

export async function endServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
