import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Replaces the file at once: a link is replaced too, and a full disk leaves the old file. */
export function replaceFile(file: string, content: string | Buffer): void {
  const folder = mkdtempSync(join(dirname(file), "unfinished-"));
  try {
    writeFileSync(join(folder, "file"), content);
    renameSync(join(folder, "file"), file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
