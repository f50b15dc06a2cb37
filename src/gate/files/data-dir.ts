import { existsSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, Fault, messageOf } from "../../core/fault.ts";
import { makeFolder } from "./hand-over.ts";

export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir);
  } catch (error) {
    if (isFile(dataDir)) {
      throw new Fault("data_dir_unusable", `DATA_DIR ${dataDir} is a file, not a folder`);
    }
    const cause = await tellingError(dataDir, error);
    throw new Fault("data_dir_unusable", `cannot make DATA_DIR ${dataDir}: ${messageOf(cause)}`, {
      cause,
    });
  }
}

function isFile(path: string): boolean {
  try {
    return !statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Making several folders at once, Node says of a read-only file system that nothing is there. */
async function tellingError(dataDir: string, given: unknown): Promise<unknown> {
  if (codeOf(given) !== "ENOENT") return given;
  let missing = dataDir;
  while (!existsSync(dirname(missing))) missing = dirname(missing);
  return mkdir(missing, { mode: 0o700 }).then(
    () => given,
    (error: unknown) => error,
  );
}
