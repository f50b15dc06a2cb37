import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Answer, type Sending, send } from "../../test/support/client.ts";
import { eventually } from "../../test/support/eventually.ts";
import { SECRET } from "../../test/support/gate.ts";
import type { GuardedFolder } from "../../test/support/postgres-folder.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

const SAID_WITHIN_MS = 3_000;

export interface GateOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** A program that the gate is run through, with its arguments. */
  readonly through?: readonly string[];
  /** What is loaded into its process beforehand, to look into it or to change its clock. */
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
  /** Whether the server log says so, or does soon. */
  says(pattern: RegExp): Promise<boolean>;
  send(path: string, sending?: Sending): Promise<Answer>;
  /** A message to what was loaded into it, and the answer. */
  askInside<T>(message: unknown): Promise<T>;
  kill(): Promise<void>;
  stop(): Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What did not come up says why. */
export class NotStarted extends Error {
  readonly said: string;
  readonly ended: Ended;

  constructor(said: string, ended: Ended) {
    super(`the gate did not start: ${said}`);
    this.said = said;
    this.ended = ended;
  }
}

export const dataDirIn = ({ path }: Pick<GuardedFolder, "path">): string => join(path, "data");

/** What every gate here is told. Clients come from addresses of their choice. */
export const environmentOf = (
  folder: GuardedFolder,
  settings: GateOptions["settings"] = {},
): Readonly<Record<string, string>> => ({
  PATH: process.env.PATH ?? "",
  NO_COLOR: "1",
  DATA_DIR: dataDirIn(folder),
  AUTH_SECRET: SECRET,
  TRUSTED_PROXIES: "127.0.0.1",
  PORT: "0",
  ...settings,
});

export const preloads = (inside: GateOptions["inside"] = []): readonly string[] =>
  inside.flatMap((name) => [
    "--import",
    new URL(`../../chaos/inside/${name}.ts`, import.meta.url).href,
  ]);

/** The real gate as a process of its own, ended with its folder if not before. */
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
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      child.emit("said");
    });
  }
  const [url, httpsUrl] = await listening(child, ended, () => said);
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
    serverLog: () => said,
    says: (pattern) =>
      eventually(() => pattern.test(said) || undefined, SAID_WITHIN_MS).catch(() => false),
    send: (path, sending) => send(`${url}${path}`, sending),
    async askInside<T>(message: unknown): Promise<T> {
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
  said: () => string,
): Promise<readonly [string, string | undefined]> {
  let over: Ended | undefined;
  void ended.then((end) => {
    over = end;
    child.emit("said");
  });
  for (;;) {
    const line = /^.*"msg":"Latchkey listens on.*$/m.exec(said())?.[0];
    if (line !== undefined) {
      const { url, httpsUrl } = JSON.parse(line);
      return [url, httpsUrl];
    }
    if (over !== undefined) throw new NotStarted(said(), over);
    await once(child, "said");
  }
}
