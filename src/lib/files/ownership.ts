import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Fault } from "../fault.ts";

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * Returns the user that should own a new file, or `undefined` if no change is needed. A command
 * that runs as root gives its files to the owner of the folder, since the gate runs as that user.
 * Other users cannot give files away.
 */
export function findNewFileOwner(folder: string): { uid: number; gid: number } | undefined {
  return process.geteuid?.() === 0 ? statSync(folder) : undefined;
}

/** Explains why this user cannot create files in a folder that exists, with the remedy. */
export function explainDeniedFolder(folder: string): string {
  const owner = statSync(folder).uid;
  const user = process.geteuid?.();
  if (user === undefined || owner === user) return `permission denied by the mode of ${folder}`;
  return owner === 0
    ? `permission denied: root owns ${folder} (chown it to ${user}, the user of this process)`
    : `permission denied: user ${owner} owns ${folder} (run as that user, not as ${user})`;
}

/** Returns whether only root and these users can create, rename and replace entries of a folder. */
export async function isPrivateFolder(folder: string, users: readonly number[]): Promise<boolean> {
  const { mode } = await stat(folder);
  return (mode & WRITABLE_BY_OTHERS) === 0 && (await isPrivatePath(folder, users));
}

/**
 * Returns whether only root and these users can replace this folder or a folder above it. In a
 * sticky folder, only the owner can. An ACL that lets others write sets the bits of the group.
 */
export async function isPrivatePath(path: string, users: readonly number[]): Promise<boolean> {
  // A user namespace may show root as another user, who then owns `/`.
  const trusted = [0, (await stat("/")).uid, ...users];
  for (let folder = await realpath(path); ; folder = dirname(folder)) {
    const [{ uid }, above] = await Promise.all([stat(folder), stat(dirname(folder))]);
    if (!trusted.includes(uid)) return false;
    if (folder === dirname(folder)) return true;
    if ((above.mode & WRITABLE_BY_OTHERS) !== 0 && (above.mode & STICKY) === 0) return false;
  }
}

/**
 * Finds the file or folder whose permissions prevent the owner of the data folder from reading a
 * file. Folders above the data folder are not checked: a service manager may show others to the
 * gate.
 */
export async function findBarrier(path: string, dataDir: string): Promise<string | undefined> {
  const owner = await stat(dataDir);
  const file = await stat(path);
  if (owner.uid === 0) return undefined;
  if (!grants(file, owner, 0o444)) return path;
  // This process runs as the owner, and has reached the file.
  if (owner.uid === process.geteuid?.()) return undefined;
  const passed = await listFolders(join(dataDir, "-"));
  for (const folder of await listFolders(path)) {
    if (!passed.includes(folder) && !grants(await stat(folder), owner, 0o111)) return folder;
  }
  return undefined;
}

/** Lists all folders above a file, by the given path and by the real path. */
async function listFolders(path: string): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const start of [dirname(path), await realpath(dirname(path))]) {
    for (let folder = start; folders.at(-1) !== folder; folder = dirname(folder))
      folders.push(folder);
  }
  return folders;
}

function grants({ uid, gid, mode }: Stats, user: Stats, bits: number): boolean {
  const mask = uid === user.uid ? 0o700 : gid === user.gid ? 0o070 : 0o007;
  return (mode & bits & mask) !== 0;
}

/**
 * Follows links to a file, but only if the owner of each link could also replace the target.
 * Otherwise the owner of a data folder could let root replace and remove other files. The function
 * does not detect a link that is exchanged after this check.
 */
export function followOwnLinks(path: string): string {
  const file = join(realpathSync(dirname(path)), basename(path));
  const link = lstatSync(file, { throwIfNoEntry: false });
  if (link?.isSymbolicLink() !== true) return file;
  // The call throws for a loop of links.
  statSync(file, { throwIfNoEntry: false });
  const next = resolve(dirname(file), readlinkSync(file));
  const trusted = [process.geteuid?.(), 0, statSync(dirname(next)).uid];
  if (trusted.includes(link.uid)) return followOwnLinks(next);
  throw new Fault(
    "link_foreign",
    `${path} is another user's link to ${next}: remove the link, or run this as that user`,
  );
}
