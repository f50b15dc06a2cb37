import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Outlives whoever mounted, however that one ends. */
const GUARDIAN = `while read -r line; do :; done; umount -l "$1"; rmdir "$1"`;

export interface Mount {
  readonly path: string;
  remove(): Promise<void>;
}

/** A small disk in memory, of so many bytes; `undefined` where this is not allowed. */
export async function mountSmallDisk(bytes: number): Promise<Mount | undefined> {
  return mounted(["-t", "tmpfs", "-o", `size=${bytes},mode=0700`, "none"]);
}

/** The folder a second time, where nothing can be written. */
export async function mountReadOnly(folder: string): Promise<Mount | undefined> {
  const mount = await mounted(["--bind", folder]);
  if (mount === undefined) return undefined;
  await execute("mount", ["-o", "remount,bind,ro", mount.path]);
  return mount;
}

async function mounted(args: readonly string[]): Promise<Mount | undefined> {
  const path = await mkdtemp(join(tmpdir(), "latchkey-chaos-"));
  const guardian = spawn("sh", ["-c", GUARDIAN, "guardian", path], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const gone = once(guardian, "exit");
  guardian.unref();
  const remove = async (): Promise<void> => {
    guardian.ref();
    guardian.stdin.end();
    await gone;
  };
  try {
    await execute("mount", [...args, path]);
    return { path, remove };
  } catch {
    await remove();
    return undefined;
  }
}

/** Whether the files could be made unchangeable, for those too who have them open. */
export async function freeze(files: readonly string[]): Promise<boolean> {
  return succeeds("chattr", ["+i", ...files]);
}

export async function thaw(files: readonly string[]): Promise<void> {
  await succeeds("chattr", ["-i", ...files]);
}

const succeeds = (program: string, args: readonly string[]): Promise<boolean> =>
  execute(program, [...args]).then(
    () => true,
    () => false,
  );
