import { randomBytes } from "node:crypto";
import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Fault } from "../fault.ts";
import { findNewFileOwner } from "./ownership.ts";

/** Describes a file that is still being written, under a temporary name in the same folder. */
export interface TemporaryFile {
  /** Write to the handle, since the owner of the folder may have put a link under the name. */
  readonly handle: FileHandle;
  readonly path: string;
}

export interface FileReplacement<T> {
  readonly temporary?: string;
  /** The umask still applies to this mode. The default is 0600. */
  readonly mode?: number;
  /**
   * The owner of this folder gets a file that root makes. The default is the folder of the file;
   * with `null`, the owner stays as it is.
   */
  readonly ownedAs?: string | null;
  fill(temporary: TemporaryFile): Promise<T>;
  /** Gives the file its name. By default, replaces the file that has the name. */
  readonly put?: ((temporary: string) => void | Promise<void>) | undefined;
}

/**
 * Makes or replaces a file in one step: readers see the old content or the new content, even after
 * a crash. Fails if the folder does not exist.
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

/** Creates a random name, so that other users cannot take the name beforehand. */
export const createTemporaryName = (path: string): string =>
  `${path}.${randomBytes(4).toString("hex")}.partial`;

/** Fills a new file. The flag `wx` never opens an existing file or link. */
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

/**
 * Changes the owner of the open file, since the owner of the folder may have put a link under its
 * name.
 */
async function giveToOwner(file: FileHandle, folder: string): Promise<void> {
  const owner = findNewFileOwner(folder);
  if (owner !== undefined) await file.chown(owner.uid, owner.gid);
}

/** Refuses another user's link under the temporary name, so that it cannot become the file. */
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
