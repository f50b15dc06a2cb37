import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the package's page files, for messages. */
export const DEFAULT_PAGES: string = fileURLToPath(new URL("templates/", import.meta.url));

// The single-file executable contains the files: `release-tools/executable.ts` replaces this module.
export const listDefaultPages = (): readonly string[] => readdirSync(DEFAULT_PAGES);

/** Kept, because an upgrade may replace the files while this process runs. */
const kept = new Map<string, string>();

export function readDefaultPage(file: string): string {
  const text = kept.get(file) ?? readFileSync(join(DEFAULT_PAGES, file), "utf8");
  kept.set(file, text);
  return text;
}
