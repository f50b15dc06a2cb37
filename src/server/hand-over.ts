import { type FileHandle, lchown, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * What a command that runs as root puts into the data folder is used by the gate, which is somebody
 * else: it belongs to whoever owns the folder that it is in. That is said of the open file: by its
 * name, whoever owns the folder could have put a link to a file of root's there meanwhile.
 */
export async function handOver(file: FileHandle, path: string): Promise<void> {
  const owner = await ownerOf(dirname(path));
  if (owner !== undefined) await file.chown(owner.uid, owner.gid);
}

/** Makes a folder for its owner alone, with those above it, and hands each of them over. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const made = [path];
  for (let folder = path; folder !== first; folder = dirname(folder)) made.unshift(dirname(folder));
  for (const folder of made) {
    const owner = await ownerOf(dirname(folder));
    if (owner !== undefined) await lchown(folder, owner.uid, owner.gid);
  }
}

/** Nobody but root can give anything away. */
async function ownerOf(folder: string): Promise<{ uid: number; gid: number } | undefined> {
  return process.geteuid?.() === 0 ? stat(folder) : undefined;
}
