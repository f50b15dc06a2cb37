import { randomBytes } from "node:crypto";
import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Fault } from "../fault.ts";
import { findNewFileOwner } from "./ownership.ts";

/** A file that is still being written, under a temporary name in the same folder. */
export interface TemporaryFile {
  /** Write to the handle: the owner of the folder may have put a link under the name. */
  readonly handle: FileHandle;
  readonly path: string;
}

export interface FileReplacement<T> {
  readonly temporary?: string;
  /** Before the umask; 0600 by default. */
  readonly mode?: number;
  /** The folder whose owner gets a file that root makes: its own by default, `null` for none. */
  readonly ownedAs?: string | null;
  fill(temporary: TemporaryFile): Promise<T>;
  /** Gives the file its name. By default, replaces the file that has the name. */
  readonly put?: ((temporary: string) => void | Promise<void>) | undefined;
}

/**
 * Makes or replaces a file in one step: readers see the old content or the new one, also after a
 * crash. Fails if the folder does not exist.
 */
export async function replaceFile<T>(path: string, replacing: FileReplacement<T>): Promise<T> {
  const { temporary = createTemporaryName(path), put = (from) => rename(from, path) } = replacing;
  try {
    const result = await fillNewFile(temporary, path, replacing);
    await put(temporary);
    await syncFolder(dirname(path));
    return result;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

export const replaceText = (path: string, text: string): Promise<void> =>
  replaceFile(path, { fill: ({ handle }) => handle.writeFile(text) });

/** Random, so that other users cannot take the name beforehand. */
export const createTemporaryName = (path: string): string =>
  `${path}.${randomBytes(4).toString("hex")}.partial`;

/** `wx` never opens an existing file or link. */
async function fillNewFile<T>(
  temporary: string,
  path: string,
  { fill, mode = 0o600, ownedAs = dirname(path) }: FileReplacement<T>,
): Promise<T> {
  await using handle = await open(temporary, "wx", mode);
  const result = await fill({ handle, path: temporary });
  if (ownedAs !== null) await giveToOwner(handle, ownedAs);
  await handle.sync();
  await refuseSwappedFile(handle, temporary, path);
  return result;
}

/** Changes the open file: by now, the owner of the folder may have put a link under its name. */
async function giveToOwner(file: FileHandle, folder: string): Promise<void> {
  const owner = findNewFileOwner(folder);
  if (owner !== undefined) await file.chown(owner.uid, owner.gid);
}

/** Another user's link under the temporary name must not become the file. */
async function refuseSwappedFile(
  handle: FileHandle,
  temporary: string,
  path: string,
): Promise<void> {
  const [openStats, nameStats] = await Promise.all([handle.stat(), lstat(temporary)]);
  if (openStats.ino === nameStats.ino && openStats.dev === nameStats.dev) return;
  throw new Fault("file_swapped", `another process replaced ${path} while it was being written`);
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, "r");
  await folder.sync();
}
