import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, stat, symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { INHERITED, MAIN } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

const UNPRIVILEGED = fileURLToPath(new URL("./unprivileged-latchkey.ts", import.meta.url));

export const isRoot: boolean = process.geteuid?.() === 0;
export const OTHER_USER = 65_534;

/** A folder of another user, which only root can make. */
export async function foreignFolder(t: TestContext): Promise<string> {
  const folder = join(await tempDir(t), "data");
  await mkdir(folder, { mode: 0o700 });
  await chown(folder, OTHER_USER, OTHER_USER);
  return folder;
}

export const ownerOf = async (path: string): Promise<number> => (await stat(path)).uid;

/** Runs a command as an unprivileged user: as OTHER_USER if the tests run as root, else as this user. */
export async function runUnprivileged(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const program = isRoot ? [UNPRIVILEGED, String(OTHER_USER)] : [MAIN];
  const child = spawn(process.execPath, ["--", ...program, ...args], {
    env: { ...INHERITED, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await closed;
  return { code, stdout, stderr };
}

/** Sets the rights of that user (4 to read, 2 to write, 1 to enter). */
export const allow = (path: string, rights: number): Promise<void> =>
  chmod(path, isRoot ? 0o700 | rights : rights << 6);

/** Makes that user the owner. */
export async function give(...paths: readonly string[]): Promise<void> {
  for (const path of isRoot ? paths : []) await chown(path, OTHER_USER, OTHER_USER);
}

/** Replaces a file by a link, as the owner of its folder can. */
export async function swap(name: string, target: string): Promise<void> {
  await unlink(name);
  await symlink(target, name);
}
