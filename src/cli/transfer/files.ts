import { accessSync, constants, existsSync, type Stats, statSync } from "node:fs";
import { fileErrorText } from "../../core/file-error.ts";
import type { OptionValues } from "../command.ts";

/** Why a file cannot be read, or `undefined` if it can. */
export function readProblem(file: string): string | undefined {
  try {
    if (statSync(file).isDirectory()) return `cannot read ${file}: it is a folder`;
    accessSync(file, constants.R_OK);
    return undefined;
  } catch (error) {
    return fileErrorText("read", file, error);
  }
}

/** Why a file may not be written there, or `undefined` if it may. */
export function overwriteProblem(file: string, { force }: OptionValues): string | undefined {
  if (!existsSync(file)) return undefined;
  if (force !== true) return `${file} already exists: --force overwrites it`;
  return statSync(file).isDirectory() ? `cannot write ${file}: it is a folder` : undefined;
}

/** Compares the files themselves, through links, whatever their names. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map(statsOf);
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

/** A path that cannot be examined is reported where it is opened. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
