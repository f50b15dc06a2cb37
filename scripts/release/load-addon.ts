import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getRawAsset } from "node:sea";
import { getErrorMessage } from "../../src/lib/fault.ts";
import { isPrivateFolder } from "../../src/lib/files/ownership.ts";

const ONLY_OWNER = 0o500;

/**
 * Loads native code that the executable contains, or the file of the container image, which names its
 * folder in `NATIVE_CODE_DIR` because it may have no folder to write to.
 */
export async function loadAddon(name: string): Promise<unknown> {
  const folder = process.env.NATIVE_CODE_DIR;
  try {
    return folder === undefined ? await loadContained(name) : load(join(folder, name));
  } catch (error) {
    // Nothing could catch it: the commands import the module that calls this function.
    process.stderr.write(`latchkey: cannot load ${name}: ${getErrorMessage(error)}\n`);
    process.exit(1);
  }
}

function load(file: string): unknown {
  const loaded: { exports: unknown } = { exports: {} };
  process.dlopen(loaded, file);
  return loaded.exports;
}

/**
 * The system loads code only from a file, so it is written to a new folder in `TMPDIR` that no other
 * user can change, and deleted at once.
 */
async function loadContained(name: string): Promise<unknown> {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(await realpath(tmpdir()), "latchkey-"));
    if (!(await isPrivateFolder(folder, [process.geteuid?.() ?? 0]))) {
      throw new Error("other users can replace folders there");
    }
    const file = join(folder, name);
    writeFileSync(file, new Uint8Array(getRawAsset(name)), { mode: ONLY_OWNER, flag: "wx" });
    return load(file);
  } catch (error) {
    const needed = "set TMPDIR to a folder that only you can write to, not mounted with noexec";
    throw new Error(`${tmpdir()} is not usable: ${getErrorMessage(error)} (${needed})`);
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}
