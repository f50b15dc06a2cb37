import { randomBytes } from "node:crypto";
import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Fault } from "../../core/fault.ts";
import { handOver } from "./hand-over.ts";

/** A file under another name than the one that it gets once it is whole. */
export interface Unfinished {
  /** What is written goes here: whoever owns the folder may have put a link under the name. */
  readonly handle: FileHandle;
  readonly path: string;
}

export interface Making<T> {
  /** Its name in the same folder, unless it is to have one of its own. */
  readonly unfinished?: string;
  /** Before the umask; for its owner alone, unless told otherwise. */
  readonly mode?: number;
  /** The folder whose owner gets it when root makes it: its own by default, `null` for none. */
  readonly ownedAs?: string | null;
  fill(unfinished: Unfinished): Promise<T>;
  /** How it gets its name; replaces what has that, unless told otherwise. */
  put?(unfinished: string): void | Promise<void>;
}

/**
 * Makes or replaces a file in one step: a reader sees the old content or the new one, never half,
 * and after a crash it is one of the two. Where the folder is gone, this fails.
 */
export async function makeWhole<T>(path: string, making: Making<T>): Promise<T> {
  const { unfinished = unfinishedName(path), put = (from) => rename(from, path) } = making;
  try {
    const made = await fillNew(unfinished, path, making);
    await put(unfinished);
    await syncFolder(dirname(path));
    return made;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** The same, for content that is at hand. */
export const writeWhole = (path: string, content: string): Promise<void> =>
  makeWhole(path, { fill: ({ handle }) => handle.writeFile(content) });

/** One that nobody knows beforehand. */
export const unfinishedName = (path: string): string =>
  `${path}.${randomBytes(4).toString("hex")}.partial`;

/** Never through what somebody has put there. */
async function fillNew<T>(
  unfinished: string,
  path: string,
  { fill, mode = 0o600, ownedAs = dirname(path) }: Making<T>,
): Promise<T> {
  const handle = await open(unfinished, "wx", mode);
  try {
    const made = await fill({ handle, path: unfinished });
    if (ownedAs !== null) await handOver(handle, ownedAs);
    await handle.sync();
    await refuseSwapped(handle, unfinished, path);
    return made;
  } finally {
    await handle.close();
  }
}

/** Of a link that was put in its place nobody is to be told that it is the file. */
async function refuseSwapped(handle: FileHandle, unfinished: string, path: string): Promise<void> {
  const [made, found] = await Promise.all([handle.stat(), lstat(unfinished)]);
  if (made.ino === found.ino && made.dev === found.dev) return;
  throw new Fault("file_swapped", `somebody else put another file into the place of ${path}`);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}
