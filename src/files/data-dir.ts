import { lchown, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Fault } from "../core/base/fault.ts";
import { fileErrorReason, unlessMissing } from "./file-error.ts";
import { folderOwner } from "./folder-owner.ts";

export const makeDataDir = (dataDir: string): Promise<void> => makeNamedFolder("DATA_DIR", dataDir);

/** As `makeFolder`, but a failure says what the folder is. */
export async function makeNamedFolder(what: string, path: string): Promise<void> {
  try {
    await makeFolder(path);
  } catch (error) {
    const reason = error instanceof Fault ? error.message : fileErrorReason(error);
    const text = `cannot create ${what} ${path}: ${reason}`;
    throw new Fault("data_dir_unusable", text, { cause: error });
  }
}

/** Makes a folder with mode 0700, and the missing ones above it. Existing folders stay as they are. */
export async function makeFolder(path: string): Promise<void> {
  const missing: string[] = [];
  for (let folder = path; !(await isFolder(folder)); folder = dirname(folder)) {
    missing.unshift(folder);
  }
  const made: string[] = [];
  for (const folder of missing) {
    try {
      await mkdir(folder, { mode: 0o700 });
      made.push(folder);
    } catch (error) {
      // Another process may have made it in the meantime.
      if (!(await isFolder(folder))) throw error;
    }
  }
  for (const folder of made) {
    const owner = folderOwner(dirname(folder));
    if (owner !== undefined) await lchown(folder, owner.uid, owner.gid);
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await unlessMissing(stat(path));
  if (found?.isDirectory() === false) {
    throw new Fault("not_a_folder", `${path} is a file, not a folder`);
  }
  return found !== undefined;
}
