import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getRawAsset } from "node:sea";

/** Only the user who runs the gate can read or replace what will be loaded. */
const ONLY_OWNER = 0o500;

/**
 * Loads native code that the executable contains. The system loads code only from a file, so it is
 * written to a new folder of this user (mode 0700, `TMPDIR`), which is deleted at once.
 */
export function loadAddon(name: string): unknown {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-"));
  try {
    const file = join(folder, name);
    writeFileSync(file, new Uint8Array(getRawAsset(name)), { mode: ONLY_OWNER, flag: "wx" });
    const loaded: { exports: unknown } = { exports: {} };
    process.dlopen(loaded, file);
    return loaded.exports;
  } catch (error) {
    const hint = "the folder in TMPDIR must be writable and not mounted with noexec";
    throw new Error(`cannot load ${name} from ${folder}: ${String(error)} (${hint})`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
