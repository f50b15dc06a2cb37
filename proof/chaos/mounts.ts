import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Unmounts when its standard input closes, however this process ends. */
const GUARDIAN = `while read -r line; do :; done; umount -l "$1"; rmdir "$1"`;

export interface Mount {
  readonly path: string;
  remove(): Promise<void>;
}

/** Mounts a small disk in memory; `undefined` if this is not allowed. */
export async function mountSmallDisk(bytes: number): Promise<Mount | undefined> {
  return mount(["-t", "tmpfs", "-o", `size=${bytes},mode=0700`, "none"]);
}

/** Mounts the folder a second time, read-only; `undefined` if this is not allowed. */
export async function mountReadOnly(folder: string): Promise<Mount | undefined> {
  const readOnly = await mount(["--bind", folder]);
  if (readOnly === undefined) return undefined;
  await execute("mount", ["-o", "remount,bind,ro", readOnly.path]);
  return readOnly;
}

async function mount(args: readonly string[]): Promise<Mount | undefined> {
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

/** Makes files immutable, even for processes that have them open. Returns whether it worked. */
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
