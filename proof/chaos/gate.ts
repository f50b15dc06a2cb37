import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Answer, type Sending, send } from "../../test/support/client.ts";
import { eventually } from "../../test/support/eventually.ts";
import { SECRET } from "../../test/support/gate.ts";
import type { GuardedFolder } from "../../test/support/postgres-folder.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

const LOG_WITHIN_MS = 3_000;

export interface GateOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** A program that starts the gate, with its arguments. */
  readonly through?: readonly string[];
  /** Modules that are preloaded into its process, to inspect it or to change its clock. */
  readonly inside?: readonly ("heap" | "clock" | "leak")[];
}

export interface Gate {
  readonly url: string;
  readonly httpsUrl: string | undefined;
  readonly port: number;
  readonly pid: number;
  readonly dataDir: string;
  readonly databaseFile: string;
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  serverLog(): string;
  /** Whether the server log matches, now or within a few seconds. */
  logs(pattern: RegExp): Promise<boolean>;
  send(path: string, sending?: Sending): Promise<Answer>;
  /** Sends a message to the preloaded module and returns its answer. */
  sendInside<T>(message: unknown): Promise<T>;
  kill(): Promise<void>;
  stop(): Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The gate ended before it listened. */
export class NotStarted extends Error {
  readonly output: string;
  readonly ended: Ended;

  constructor(output: string, ended: Ended) {
    super(`the gate did not start: ${output}`);
    this.output = output;
    this.ended = ended;
  }
}

export const dataDirIn = ({ path }: Pick<GuardedFolder, "path">): string => join(path, "data");

/** The settings of every gate. Trusts X-Forwarded-For, so that clients choose their address. */
export const environmentOf = (
  folder: GuardedFolder,
  settings: GateOptions["settings"] = {},
): Readonly<Record<string, string>> => ({
  PATH: process.env.PATH ?? "",
  NO_COLOR: "1",
  DATA_DIR: dataDirIn(folder),
  AUTH_SECRET: SECRET,
  TRUSTED_PROXIES: "127.0.0.1",
  SETUP_TOKEN: "off",
  PORT: "0",
  ...settings,
});

export const preloads = (inside: GateOptions["inside"] = []): readonly string[] =>
  inside.flatMap((name) => ["--import", new URL(`./inside/${name}.ts`, import.meta.url).href]);

/** Starts the real gate as a child process, which ends with its folder at the latest. */
export async function startGate(folder: GuardedFolder, options: GateOptions = {}): Promise<Gate> {
  const { settings = {}, through = [], inside = [] } = options;
  const node = [process.execPath, "--expose-gc", ...preloads(inside), "--", MAIN, "serve"];
  const [program = "", ...args] = [...through, ...node];
  const child = spawn(program, args, {
    env: environmentOf(folder, settings),
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  folder.guard(child.pid);
  const ended = once(child, "close").then(([code, signal]): Ended => ({ code, signal }));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      child.emit("output");
    });
  }
  const [url, httpsUrl] = await listening(child, ended, () => output);
  const dataDir = settings.DATA_DIR ?? dataDirIn(folder);
  const finish = async (signal: NodeJS.Signals): Promise<Ended> => {
    child.kill(signal);
    return ended;
  };
  return {
    url,
    httpsUrl,
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    dataDir,
    databaseFile: join(dataDir, "latchkey.db"),
    child,
    ended,
    serverLog: () => output,
    logs: (pattern) =>
      eventually(() => pattern.test(output) || undefined, LOG_WITHIN_MS).catch(() => false),
    send: (path, sending) => send(`${url}${path}`, sending),
    async sendInside<T>(message: unknown): Promise<T> {
      child.send({ message });
      const [answer] = await once(child, "message");
      return answer as T;
    },
    kill: () => finish("SIGKILL").then(() => undefined),
    stop: () => finish("SIGTERM"),
  };
}

async function listening(
  child: ChildProcess,
  ended: Promise<Ended>,
  output: () => string,
): Promise<readonly [string, string | undefined]> {
  let over: Ended | undefined;
  void ended.then((end) => {
    over = end;
    child.emit("output");
  });
  for (;;) {
    const line = /^.*"msg":"Latchkey listens on.*$/m.exec(output())?.[0];
    if (line !== undefined) {
      const { url, httpsUrl } = JSON.parse(line);
      return [url, httpsUrl];
    }
    if (over !== undefined) throw new NotStarted(output(), over);
    await once(child, "output");
  }
}
