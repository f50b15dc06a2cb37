import { accessSync, constants, existsSync, statSync } from "node:fs";
import { codeOf, messageOf } from "../../core/fault.ts";
import type { OptionValues } from "../command.ts";

/** Why a file cannot be read, in words. */
export function unreadable(file: string): string | undefined {
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
        return `${file} cannot be read by this user`;
      default:
        return `cannot read ${file}: ${messageOf(error)}`;
    }
  }
}

/** Why no file is put there, if something keeps it from that. */
export function takenBy(file: string, { force }: OptionValues): string | undefined {
  if (!existsSync(file)) return undefined;
  if (force !== true) return `${file} is there already: --force overwrites it`;
  return statSync(file).isDirectory() ? `${file} is a folder` : undefined;
}
