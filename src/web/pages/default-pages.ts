import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the package's page files, for messages. */
export const DEFAULT_PAGES: string = fileURLToPath(new URL("templates/", import.meta.url));

// The single-file executable contains the files: `release-tools/executable.ts` replaces this module.
export const listDefaultPages = (): readonly string[] => readdirSync(DEFAULT_PAGES);

export const readDefaultPage = (file: string): string =>
  readFileSync(join(DEFAULT_PAGES, file), "utf8");
