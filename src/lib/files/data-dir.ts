import { lchown, mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Fault } from "../fault.ts";
import { explainFileError, ignoreMissing } from "./file-error.ts";
import { findNewFileOwner } from "./ownership.ts";

/** Makes a folder like `makeFolder`, but a failure names the purpose of the folder. */
export async function makeNamedFolder(what: string, path: string): Promise<void> {
  try {
    await makeFolder(path);
  } catch (error) {
    const text = `cannot create ${what} ${path}: ${explainFileError(error)}`;
    throw new Fault("data_dir_unusable", text, { cause: error });
  }
}

/**
 * Makes a folder with mode 0700, and the missing folders above it. Existing folders stay as they
 * are. The recursive `mkdir` would report a read-only disk as a missing folder.
 */
export async function makeFolder(path: string): Promise<void> {
  const folder = resolve(path);
  if (await isFolder(folder)) return;
  const above = dirname(folder);
  if ((await ignoreMissing(stat(above))) === undefined) await makeFolder(above);
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made the folder in the meantime.
    if (await isFolder(folder)) return;
    throw error;
  }
  const owner = findNewFileOwner(above);
  if (owner !== undefined) await lchown(folder, owner.uid, owner.gid);
}

const isFolder = async (path: string): Promise<boolean> =>
  (await ignoreMissing(stat(path)))?.isDirectory() === true;
