import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { type FileHandle, lchown, mkdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Fault } from "../../core/fault.ts";

/**
 * What a command that runs as root puts into the data folder is used by the gate, which runs as
 * another user: it gets the owner of a folder, usually its own. The open file is changed: under its
 * name, the folder's owner could have put a link to a file of root's meanwhile.
 */
export async function handOver(file: FileHandle, folder: string): Promise<void> {
  const owner = await ownerOf(folder);
  if (owner !== undefined) await file.chown(owner.uid, owner.gid);
}

/** Whether only root and these users can create, rename and replace entries of a folder. */
export async function isSafe(folder: string, users: readonly number[]): Promise<boolean> {
  const { mode } = await stat(folder);
  return (mode & WRITABLE_BY_OTHERS) === 0 && (await staysInPlace(folder, users));
}

/**
 * Whether only root and these users can put another folder in the place of this one, or of one above
 * it. In a sticky folder, that takes the owner. An ACL that lets others write sets the group's bits.
 */
export async function staysInPlace(folder: string, users: readonly number[]): Promise<boolean> {
  // In a user namespace, root itself may be shown as another user: the one that owns /.
  const trusted = [0, (await stat("/")).uid, ...users];
  for (let one = await realpath(folder); ; one = dirname(one)) {
    const [{ uid }, above] = await Promise.all([stat(one), stat(dirname(one))]);
    if (!trusted.includes(uid)) return false;
    if (one === dirname(one)) return true;
    if ((above.mode & WRITABLE_BY_OTHERS) !== 0 && (above.mode & STICKY) === 0) return false;
  }
}

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

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

/**
 * What keeps the owner of the data folder from reading a file, as far as owners and modes tell: the
 * file, or a folder above it. The folders above the data folder are left out: a service manager may
 * show the gate others than root sees.
 */
export async function barrierTo(path: string, dataDir: string): Promise<string | undefined> {
  const owner = await stat(dataDir);
  const file = await stat(path);
  if (owner.uid === 0) return undefined;
  if (!grants(file, owner, 0o444)) return path;
  // Whatever else bars the way has let this very user through.
  if (owner.uid === process.geteuid?.()) return undefined;
  const passed = await foldersTo(join(dataDir, "-"));
  for (const folder of await foldersTo(path)) {
    if (!passed.includes(folder) && !grants(await stat(folder), owner, 0o111)) return folder;
  }
  return undefined;
}

/** All folders that lead to a file, by the name that is given and by the one behind its links. */
async function foldersTo(path: string): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const start of [dirname(path), await realpath(dirname(path))]) {
    for (let one = start; folders.at(-1) !== one; one = dirname(one)) folders.push(one);
  }
  return folders;
}

function grants({ uid, gid, mode }: Stats, user: Stats, bits: number): boolean {
  const of = uid === user.uid ? 0o700 : gid === user.gid ? 0o070 : 0o007;
  return (mode & bits & of) !== 0;
}

/**
 * What a name leads to. A link is followed where its owner could also replace what it leads to:
 * otherwise root would replace and remove files for the owner of a data folder. What remains is the
 * moment between this check and the use.
 */
export function behind(path: string): string {
  const file = join(realpathSync(dirname(path)), basename(path));
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() !== true) return file;
  const next = resolve(dirname(file), readlinkSync(file));
  const trusted = [process.geteuid?.(), 0, statSync(dirname(next)).uid];
  if (trusted.includes(found.uid)) return behind(next);
  throw new Fault(
    "link_foreign",
    `${path} is another user's link to ${next}: remove the link, or run this as that user`,
  );
}
