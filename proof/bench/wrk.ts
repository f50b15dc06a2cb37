import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);
const CONNECTIONS = 32;
/** A response on a busy machine is slow, not lost. */
const TIMEOUT = "20s";

export interface WrkRun {
  readonly port: number;
  readonly path: string;
  /** The `Cookie` header, if there is one. */
  readonly cookie: string | undefined;
  readonly seconds: number;
  /** The command before wrk's own that keeps it on its cores. */
  readonly load: readonly string[];
}

/** @throws if wrk is not installed, or this is not Linux */
export async function checkWrk(): Promise<void> {
  if (process.platform !== "linux") {
    throw new Error("npm run bench needs Linux, because it reads CPU times from /proc");
  }
  await execute("wrk", ["--version"]).catch((error: { code?: unknown }) => {
    if (error.code === "ENOENT") {
      throw new Error("npm run bench needs wrk (on Debian: apt-get install wrk)");
    }
    // wrk ends with 1 after it has printed its version.
  });
}

/**
 * Loads a server with wrk, in one thread, and returns how many responses it got.
 *
 * @throws unless every response is a 2xx and no connection failed
 */
export async function answersOf(run: WrkRun): Promise<number> {
  const headers = run.cookie === undefined ? [] : ["-H", `Cookie: ${run.cookie}`];
  const duration = `-d${Math.round(run.seconds)}s`;
  const url = `http://127.0.0.1:${run.port}${run.path}`;
  const args = ["-t1", `-c${CONNECTIONS}`, "--timeout", TIMEOUT, duration, ...headers, url];
  const [program = "", ...rest] = [...run.load, "wrk", ...args];
  const { stdout } = await execute(program, rest);
  return parseAnswers(stdout);
}

/** @throws unless every response is a 2xx and no connection failed */
export function parseAnswers(report: string): number {
  const count = Number(/^ *(\d+) requests in /m.exec(report)?.[1]);
  const failures = /^ *(Non-2xx or 3xx responses|Socket errors): .*$/m.exec(report)?.[0];
  if (failures !== undefined) throw new Error(`wrk reports failures: ${failures.trim()}`);
  if (!(count > 0)) throw new Error(`wrk reports no responses: ${report}`);
  return count;
}
