import { readdirSync, readFileSync } from "node:fs";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";

// The single-file executable contains the files: `scripts/release/executable.ts` replaces this module.

/** Pages share the files of the first folder. Each feature has the files of its own pages. */
const FOLDERS = [new URL("templates/", import.meta.url), new URL("../features/", import.meta.url)];

/** Matches the templates, and the style sheets and scripts that browsers load. */
const PAGE_FILE = /^[\w-]+\.eta$|^latchkey[\w-]*\.(css|js)$/;

let paths: ReadonlyMap<string, string> | undefined;

/**
 * Returns the path of each file by its name, such as `login.eta`. The paths are not made by `join`:
 * after hundreds of long paths, V8 optimizes it, and its optimizer takes 5 MB of memory.
 */
export function locatePageFiles(): ReadonlyMap<string, string> {
  paths ??= new Map(
    FOLDERS.map((folder) => fileURLToPath(folder)).flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .map((file) => [file.slice(file.lastIndexOf(sep) + 1), folder + file] as const)
        .filter(([name]) => PAGE_FILE.test(name)),
    ),
  );
  return paths;
}

export const listPageFiles = (): readonly string[] => [...locatePageFiles().keys()];

/** Files are cached, because an upgrade may replace them while this process runs. */
const kept = new Map<string, string>();

export function readPageFile(name: string): string {
  const text = kept.get(name) ?? readFileSync(locate(name), "utf8");
  kept.set(name, text);
  return text;
}

function locate(name: string): string {
  const path = locatePageFiles().get(name);
  if (path === undefined) throw new Error(`there is no page file ${name}`);
  return path;
}
