import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));

/**
 * Runs the command in a process of its own, since the simulation replaces the timers. Returns its
 * lines.
 *
 * @throws if it finds a broken promise, or misses an error that is put back
 */
export async function runSimulation(...options: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...options]);
  return stdout.trim().split("\n");
}
