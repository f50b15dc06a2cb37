import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The URL of a file, by its path from the root of the repository. */
export const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);

export const text = (path: string): string => readFileSync(at(path), "utf8");

/** Every Markdown file that git tracks or would add. */
export const pages: readonly string[] = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "*.md"],
  { cwd: fileURLToPath(at("")), encoding: "utf8" },
)
  .trimEnd()
  .split("\n")
  .filter((page) => existsSync(at(page)));

/** The cells of each table row whose first cell matches. */
export const rowsOf = (page: string, first: RegExp): readonly (readonly string[])[] =>
  page
    .split("\n")
    .map((line) => line.split("|").slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
    .filter(([cell = ""]) => first.test(cell));
