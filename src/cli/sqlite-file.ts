import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { Fault } from "../core/fault.ts";

/** Whatever the names, through links too. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map(statsOf);
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

/** What cannot be looked at is told of where it is opened. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/**
 * The file that a name leads to. A link is followed where whoever made it could also replace the
 * file that it leads to: otherwise root would replace any file for whoever owns a data folder.
 */
export function fileBehind(path: string): string {
  const file = join(realpathSync(dirname(path)), basename(path));
  const found = lstatSync(file);
  if (!found.isSymbolicLink()) return file;
  const next = resolve(dirname(file), readlinkSync(file));
  const trusted = [process.geteuid?.(), 0, statSync(dirname(next)).uid];
  if (trusted.includes(found.uid)) return fileBehind(next);
  throw new Fault("link_foreign", `${path} is another user's link to ${next}: name that itself`);
}
