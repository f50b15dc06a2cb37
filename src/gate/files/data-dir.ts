import { lchown, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, Fault } from "../../core/fault.ts";
import { fileErrorReason } from "../../core/file-error.ts";
import { folderOwner } from "../../stores/folder-owner.ts";

export const makeDataDir = (dataDir: string): Promise<void> => makeNamedFolder("DATA_DIR", dataDir);

/** As `makeFolder`, but a failure says what the folder is. */
export async function makeNamedFolder(what: string, path: string): Promise<void> {
  try {
    await makeFolder(path);
  } catch (error) {
    const isFile = codeOf(error) === "EEXIST";
    const reason = isFile ? `${path} is a file, not a folder` : fileErrorReason(error);
    const text = `cannot create ${what} ${path}: ${reason}`;
    throw new Fault("data_dir_unusable", text, { cause: error });
  }
}

/** Makes a folder with mode 0700, and the missing ones above it. Existing folders stay as they are. */
export async function makeFolder(path: string): Promise<void> {
  const highest = await mkdir(path, { recursive: true, mode: 0o700 });
  if (highest === undefined) return;
  const made: string[] = [];
  for (let one = path; one.length >= highest.length; one = dirname(one)) made.unshift(one);
  // From above, since each goes to the owner of the one above it.
  for (const folder of made) {
    const owner = folderOwner(dirname(folder));
    if (owner !== undefined) await lchown(folder, owner.uid, owner.gid);
  }
}
