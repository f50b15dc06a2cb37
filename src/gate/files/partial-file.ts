import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { type FileHandle, realpath, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Fault } from "../../core/fault.ts";
import { fileErrorText, isDenied, isMissing } from "../../core/file-error.ts";
import { isSafe, staysInPlace } from "./hand-over.ts";
import { makeWhole, type Unfinished, unfinishedName } from "./whole-file.ts";

/** A file that a command makes: nothing of it is left where that fails or is told to stop. */
export const throughHandle = <T>(
  file: string,
  write: (handle: FileHandle) => Promise<T>,
): Promise<T> => make(file, ({ handle }) => write(handle));

export interface ByName<T> {
  /** Is lent the name of an empty file, for SQLite, which opens files by their names. */
  work(name: string): Promise<T>;
  put?(unfinished: string): void | Promise<void>;
}

/** The same, for what cannot write to a file that is open. */
export const throughName = <T>(file: string, { work, put }: ByName<T>): Promise<T> =>
  make(file, (unfinished, leftovers) => lendName(unfinished, leftovers, work), put);

/** What there may be of an unfinished file. */
interface Leftovers {
  folder?: string;
}

async function make<T>(
  file: string,
  fill: (unfinished: Unfinished, leftovers: Leftovers) => Promise<T>,
  put?: ByName<T>["put"],
): Promise<T> {
  const folder = await folderOf(file);
  const path = join(folder, basename(file));
  const unfinished = unfinishedName(path);
  const leftovers: Leftovers = {};
  const remove = (): void => {
    for (const suffix of BESIDE) rmSync(`${unfinished}${suffix}`, { force: true });
    if (leftovers.folder !== undefined) {
      rmSync(leftovers.folder, { recursive: true, force: true });
    }
  };
  const stop = (signal: NodeJS.Signals): void => {
    remove();
    process.kill(process.pid, signal);
  };
  for (const signal of STOPPING) process.once(signal, stop);
  try {
    const placed = put === undefined ? {} : { put };
    return await makeWhole(path, {
      ...{ unfinished, ownedAs: await heirOf(folder), ...placed },
      fill: (made) => fill(made, leftovers),
    });
  } catch (error) {
    throw inWords(file, unfinished, error);
  } finally {
    for (const signal of STOPPING) process.removeListener(signal, stop);
    remove();
  }
}

const STOPPING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** What SQLite may have beside a file that it writes. */
const BESIDE = ["", "-journal", "-wal", "-shm"] as const;

/** Without links: another user's link could lead elsewhere after the folder was checked. */
async function folderOf(file: string): Promise<string> {
  const folder = dirname(file);
  try {
    return await realpath(folder);
  } catch (error) {
    throw inWords(file, folder, error);
  }
}

/** What root writes stays root's where a third user could have put a folder of their own in place. */
async function heirOf(folder: string): Promise<string | null> {
  const { uid } = await stat(folder);
  return (await staysInPlace(folder, [uid])) ? folder : null;
}

/**
 * The name of the file itself, where no other user can put a link to another file under it, or one
 * beside it for SQLite to follow. Elsewhere a name in a private folder, from where the bytes are
 * copied into the open file.
 */
async function lendName<T>(
  { handle, path }: Unfinished,
  leftovers: Leftovers,
  work: (name: string) => Promise<T>,
): Promise<T> {
  const users = [process.geteuid?.() ?? 0];
  if (await isSafe(dirname(path), users)) return work(path);
  leftovers.folder = mkdtempSync(join(await realpath(tmpdir()), "latchkey-"));
  if (!(await isSafe(leftovers.folder, users))) {
    throw new Fault(
      "temp_dir_unsafe",
      `other users can replace folders in ${tmpdir()}: set TMPDIR to a folder that only you can write to`,
    );
  }
  const name = join(leftovers.folder, "database");
  const made = await work(name);
  await handle.writeFile(createReadStream(name));
  return made;
}

/** The caller named `file`, not the temporary name that the system reports. */
function inWords(file: string, unfinished: string, error: unknown): unknown {
  const isOfName = error instanceof Error && "path" in error && error.path === unfinished;
  if (error instanceof Fault || !isOfName) return error;
  const folder = dirname(file);
  if (isMissing(error)) {
    return new Fault("folder_missing", fileErrorText("write to", folder, error));
  }
  const text = isDenied(error)
    ? fileErrorText("write to", folder, error)
    : fileErrorText("write", file, error);
  return new Fault("file_unwritable", text);
}
