import { lchown, mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Fault } from "../core/base/fault.ts";
import { fileErrorReason } from "./file-error.ts";
import { folderOwner } from "./folder-owner.ts";

export const makeDataDir = (dataDir: string): Promise<void> => makeNamedFolder("DATA_DIR", dataDir);

/** As `makeFolder`, but a failure says what the folder is. */
export async function makeNamedFolder(what: string, path: string): Promise<void> {
  try {
    await makeFolder(path);
  } catch (error) {
    const text = `cannot create ${what} ${path}: ${fileErrorReason(error)}`;
    throw new Fault("data_dir_unusable", text, { cause: error });
  }
}

/** Makes a folder with mode 0700, and the missing ones above it. Existing folders stay as they are. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  const owner = first === undefined ? undefined : folderOwner(dirname(first));
  if (first === undefined || owner === undefined) return;
  for (let made = resolve(path); made.length >= first.length; made = dirname(made)) {
    await lchown(made, owner.uid, owner.gid);
  }
}
