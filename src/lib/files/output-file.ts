import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { type FileHandle, realpath, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Fault } from "../fault.ts";
import { formatFileError, isDenied, isMissing } from "./file-error.ts";
import { isPrivateFolder, isPrivatePath } from "./ownership.ts";
import {
  createTemporaryName,
  type FileReplacement,
  replaceFile,
  type TemporaryFile,
} from "./replace-file.ts";

interface Output {
  readonly handle: FileHandle;
  /** Passes a file name to SQLite, which opens files by name. An empty file has that name. */
  useName<T>(work: (name: string) => Promise<T>): Promise<T>;
}

/**
 * Writes the output file of a command. A failure or a stop signal leaves no partial file behind.
 *
 * @param put Gives the file its name. By default, replaces the file that has the name.
 */
export async function writeOutput<T>(
  file: string,
  fill: (output: Output) => Promise<T>,
  put?: FileReplacement<T>["put"],
): Promise<T> {
  const folder = await resolveFolder(file);
  const path = join(folder, basename(file));
  const temporary = createTemporaryName(path);
  using leftovers = new DisposableStack();
  for (const suffix of SQLITE_SUFFIXES) leftovers.adopt(`${temporary}${suffix}`, removeTree);
  const stop = (signal: NodeJS.Signals): void => {
    leftovers.dispose();
    process.kill(process.pid, signal);
  };
  for (const signal of STOP_SIGNALS) process.once(signal, stop);
  try {
    return await replaceFile(path, {
      temporary,
      ownedAs: await findOwnerFolder(folder),
      put,
      fill: (temporaryFile) =>
        fill({
          handle: temporaryFile.handle,
          useName: (work) => withName(temporaryFile, leftovers, work),
        }),
    });
  } catch (error) {
    throw explainOutputError(file, temporary, error);
  } finally {
    for (const signal of STOP_SIGNALS) process.removeListener(signal, stop);
  }
}

const removeTree = (path: string): void => rmSync(path, { recursive: true, force: true });

const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** The suffixes name the database and the files that SQLite may create next to it. */
const SQLITE_SUFFIXES = ["", "-journal", "-wal", "-shm"] as const;

/** Resolves links: after the checks, another user could point a link to another folder. */
async function resolveFolder(file: string): Promise<string> {
  const folder = dirname(file);
  try {
    return await realpath(folder);
  } catch (error) {
    throw explainOutputError(file, folder, error);
  }
}

/**
 * Returns the folder whose owner gets the file. Returns `null` where a third user could have
 * replaced the folder: a file that root makes then stays root's.
 */
async function findOwnerFolder(folder: string): Promise<string | null> {
  const { uid } = await stat(folder);
  return (await isPrivatePath(folder, [uid])) ? folder : null;
}

/**
 * Uses the temporary file's own name if no other user can put a link there, or next to it for
 * SQLite to follow. Otherwise uses a private folder, and copies the bytes to the open file.
 */
async function withName<T>(
  { handle, path }: TemporaryFile,
  leftovers: DisposableStack,
  work: (name: string) => Promise<T>,
): Promise<T> {
  const users = [process.geteuid?.() ?? 0];
  if (await isPrivateFolder(dirname(path), users)) return work(path);
  const parent = await realpath(tmpdir());
  const folder = leftovers.adopt(mkdtempSync(join(parent, "latchkey-")), removeTree);
  if (!(await isPrivateFolder(folder, users))) {
    throw new Fault(
      "temp_dir_unsafe",
      `other users can replace folders in ${tmpdir()}: set TMPDIR to a folder that only you can write to`,
    );
  }
  const name = join(folder, "database");
  const result = await work(name);
  await handle.writeFile(createReadStream(name));
  return result;
}

/** Names the file that the caller requested, not the temporary file that the system reports. */
function explainOutputError(file: string, temporary: string, error: unknown): unknown {
  const isOfName = error instanceof Error && "path" in error && error.path === temporary;
  if (error instanceof Fault || !isOfName) return error;
  const folder = dirname(file);
  if (isMissing(error)) {
    return new Fault("folder_missing", formatFileError("write to", folder, error));
  }
  const text = isDenied(error)
    ? formatFileError("write to", folder, error)
    : formatFileError("write", file, error);
  return new Fault("file_unwritable", text);
}
