import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { Fault, messageOf } from "../core/fault.ts";

const STOPPING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** What SQLite may have beside a file that it writes. */
const BESIDE = ["", "-journal", "-wal", "-shm"] as const;

/**
 * Lends the name of an empty file beside the one that is to be made, for its owner only. What work
 * has not put into place by its end, or until the process is told to stop, is removed.
 */
export async function throughPartial<T>(
  file: string,
  work: (partial: string) => Promise<T>,
): Promise<T> {
  const partial = `${file}.${randomBytes(4).toString("hex")}.partial`;
  const remove = (): void => {
    for (const suffix of BESIDE) rmSync(`${partial}${suffix}`, { force: true });
  };
  const stop = (signal: NodeJS.Signals): void => {
    remove();
    process.kill(process.pid, signal);
  };
  for (const signal of STOPPING) process.once(signal, stop);
  try {
    makeEmpty(file, partial);
    return await work(partial);
  } finally {
    for (const signal of STOPPING) process.removeListener(signal, stop);
    remove();
  }
}

function makeEmpty(file: string, partial: string): void {
  try {
    closeSync(openSync(partial, "wx", 0o600));
  } catch (error) {
    throw new Fault("file_unwritable", `cannot write ${file}: ${messageOf(error)}`);
  }
}

/** On the disk under its own name when this returns. */
export function place(partial: string, file: string): void {
  sync(partial);
  renameSync(partial, file);
  sync(dirname(file));
}

export function sync(path: string): void {
  const opened = openSync(path, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
