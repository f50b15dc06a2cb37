import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("templates/", import.meta.url));

// The single-file executable contains the files: `release-tools/executable.ts` replaces this module.
export const listPageFiles = (): readonly string[] => readdirSync(FOLDER);

/** Files are cached, because an upgrade may replace them while this process runs. */
const kept = new Map<string, string>();

export function readPageFile(file: string): string {
  const text = kept.get(file) ?? readFileSync(join(FOLDER, file), "utf8");
  kept.set(file, text);
  return text;
}
