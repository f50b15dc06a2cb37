/**
 * `npm run dev`: a gate at http://127.0.0.1:3000 with the data in `data`, and beside it every state of
 * every page. Both start again when a file of `src` changes.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const WATCHED = ["src", "test/support"] as const;
/** An editor writes a file in several steps, and a checkout many files. */
const PAUSE_MS = 150;

const PROGRAMS = [
  ["--disable-sigusr1", "src/cli/main.ts", "serve", ...process.argv.slice(2)],
  ["scripts/dev/states.ts"],
] as const;

let running = PROGRAMS.map(start);
let pause: NodeJS.Timeout | undefined;

for (const folder of WATCHED) void restartOnChanges(folder);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => void stopAll().then(() => process.exit(0)));
}

async function restartOnChanges(folder: string): Promise<void> {
  for await (const { filename } of watch(`${ROOT}${folder}`, { recursive: true })) {
    clearTimeout(pause);
    pause = setTimeout(() => void restart(`${folder}/${filename ?? ""}`), PAUSE_MS);
  }
}

async function restart(changed: string): Promise<void> {
  process.stdout.write(`dev: ${changed} changed\n`);
  await stopAll();
  running = PROGRAMS.map(start);
}

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, args, { cwd: ROOT, stdio: "inherit" });
}

/** Waits until the ports are free again. A program that has ended by a mistake is not waited for. */
async function stopAll(): Promise<void> {
  const alive = running.filter(({ exitCode, signalCode }) => exitCode === null && !signalCode);
  const ended = alive.map((child) => once(child, "exit"));
  for (const child of alive) child.kill();
  await Promise.all(ended);
}
