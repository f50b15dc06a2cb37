import { type Stats, statSync } from "node:fs";

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
