import { chown, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * What a command that runs as root puts into the data folder is used by the gate, which is somebody
 * else: it belongs to whoever owns the folder that it is in.
 */
export async function handOver(path: string): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = await stat(dirname(path));
  await chown(path, uid, gid);
}

/** Makes a folder for its owner alone, with those above it, and hands each of them over. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const made = [path];
  for (let folder = path; folder !== first; folder = dirname(folder)) made.unshift(dirname(folder));
  for (const folder of made) await handOver(folder);
}
