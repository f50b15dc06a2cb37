import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../package/installed.ts";

/** A file on a page: all of it, or a diff to what the framework's template has. */
export interface Shown {
  readonly file: string;
  /** What the page says after the name, such as `, with SvelteKit 3`. */
  readonly only: string;
  readonly kind: "whole" | "diff";
  readonly code: string;
}

export const readPage = (name: string): Promise<string> =>
  readFile(join(ROOT, "docs/frameworks", `${name}.md`), "utf8");

/** The files on a page: each a name and a colon, then a block of code. */
export const filesOn = (page: string): readonly Shown[] =>
  [...page.matchAll(/^`([^`\n]+)`(.*):\n\n```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, file = "", only = "", language = "", code = ""]) => {
      return { file, only, kind: language === "diff" ? "diff" : "whole", code };
    },
  );

/** The commands under the heading "Install". */
export const installLines = (page: string): readonly string[] => {
  const [, commands = ""] = /^## Install\n\n```sh\n([\s\S]*?)```/m.exec(page) ?? [];
  return commands.trimEnd().split("\n");
};

/** The lines that a diff adds. */
export const addedBy = (diff: string): readonly string[] =>
  diff.split("\n").flatMap((line) => (line.startsWith("+") ? [line.slice(1)] : []));

/** Applies a diff without line numbers: its unchanged and removed lines must be there, once. */
export function applyDiff(text: string, diff: string): string {
  const lines = diff.trimEnd().split("\n");
  const side = (without: string): string =>
    lines
      .filter((line) => !line.startsWith(without))
      .map((line) => `${line.slice(1)}\n`)
      .join("");
  const parts = text.split(side("+"));
  if (parts.length !== 2) throw new Error(`found ${parts.length - 1} times:\n${side("+")}`);
  return parts.join(side("-"));
}
