import { accessSync, constants, existsSync, type Stats, statSync } from "node:fs";
import { codeOf, messageOf } from "../../core/fault.ts";
import type { OptionValues } from "../command.ts";

/** Why a file cannot be read, or `undefined` if it can. */
export function readProblem(file: string): string | undefined {
  try {
    if (statSync(file).isDirectory()) return `${file} is a folder`;
    accessSync(file, constants.R_OK);
    return undefined;
  } catch (error) {
    switch (codeOf(error)) {
      case "ENOENT":
      case "ENOTDIR":
        return `there is no file ${file}`;
      case "EACCES":
        return `cannot read ${file}: permission denied`;
      default:
        return `cannot read ${file}: ${messageOf(error)}`;
    }
  }
}

/** Why a file may not be written there, or `undefined` if it may. */
export function overwriteProblem(file: string, { force }: OptionValues): string | undefined {
  if (!existsSync(file)) return undefined;
  if (force !== true) return `${file} already exists: --force overwrites it`;
  return statSync(file).isDirectory() ? `${file} is a folder` : undefined;
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
