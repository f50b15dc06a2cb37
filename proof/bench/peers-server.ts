import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "../../test/support/free-port.ts";
import { ask } from "./load.ts";
import { SECRET } from "./peers/peer.ts";
import type { Contestant } from "./peers-contestants.ts";

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
  readonly app: string;
  readonly data: string;
}

export async function plant(
  { peer }: Contestant,
  { app, data }: Place,
  count: number,
): Promise<readonly string[]> {
  await promisify(execFile)(
    process.execPath,
    [join(app, "host.js"), "plant", peer, data, String(count)],
    { env: environment(data, 0), cwd: app },
  );
  return JSON.parse(await readFile(join(data, "cookies.json"), "utf8"));
}

/** Resolves after the first response to the given request. */
export async function launch(
  { peer, command }: Contestant,
  { app, data }: Place,
  first: string,
): Promise<Server> {
  const port = await freePort();
  const program = command ?? ["host.js", "serve", peer, data];
  const start = performance.now();
  const child = spawn(process.execPath, ["--import", join(app, "report.js"), ...program], {
    env: environment(data, port),
    cwd: app,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let complaints = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaints = `${complaints}${text}`.slice(-1_000);
  });
  try {
    await firstAnswer(child, port, first, start + GIVE_UP_AFTER_MS);
  } catch (error) {
    await end(child);
    throw new Error(`the server did not start: ${complaints}`, { cause: error });
  }
  return {
    port,
    startTook: performance.now() - start,
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
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
