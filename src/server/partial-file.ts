import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { type FileHandle, realpath, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { codeOf, Fault, messageOf } from "../core/fault.ts";
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
  const unfinished = unfinishedName(file);
  const leftovers: Leftovers = {};
  const remove = (): void => {
    for (const suffix of BESIDE) rmSync(`${unfinished}${suffix}`, { force: true });
    const { folder } = leftovers;
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  const stop = (signal: NodeJS.Signals): void => {
    remove();
    process.kill(process.pid, signal);
  };
  for (const signal of STOPPING) process.once(signal, stop);
  try {
    const placed = put === undefined ? {} : { put };
    return await makeWhole(file, { unfinished, fill: (made) => fill(made, leftovers), ...placed });
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

/**
 * The name of the file itself, where nobody else can put a link to another file under it. Elsewhere
 * one in a folder of its own, from where the bytes come into the open file.
 */
async function lendName<T>(
  { handle, path }: Unfinished,
  leftovers: Leftovers,
  work: (name: string) => Promise<T>,
): Promise<T> {
  if (await isSafe(dirname(path))) return work(path);
  leftovers.folder = mkdtempSync(join(tmpdir(), "latchkey-"));
  const name = join(leftovers.folder, "database");
  const made = await work(name);
  await handle.writeFile(createReadStream(name));
  return made;
}

/** Whether what this user has put into a folder is safe from everybody but root. */
async function isSafe(folder: string): Promise<boolean> {
  const trusted = [0, process.geteuid?.() ?? 0];
  for (let one = await realpath(folder); ; one = dirname(one)) {
    const { uid, mode } = await stat(one);
    const isOpen = (mode & FOR_EVERYBODY) !== 0 && (mode & STICKY) === 0;
    if (isOpen || !trusted.includes(uid)) return false;
    if (one === dirname(one)) return true;
  }
}

const FOR_EVERYBODY = 0o002;
const STICKY = 0o1000;

/** What the system says of the name that nobody has asked for, said of the one that was. */
function inWords(file: string, unfinished: string, error: unknown): unknown {
  const isOfName = error instanceof Error && "path" in error && error.path === unfinished;
  if (error instanceof Fault || !isOfName) return error;
  const folder = dirname(file);
  switch (codeOf(error)) {
    case "ENOENT":
      return new Fault("folder_missing", `there is no folder ${folder}`);
    case "ENOTDIR":
      return new Fault("folder_missing", `${folder} is no folder`);
    case "EISDIR":
      return new Fault("file_unwritable", `${file} is a folder`);
    case "EACCES":
    case "EPERM":
      return new Fault("file_unwritable", `${folder} cannot be written by this user`);
    default:
      return new Fault("file_unwritable", `cannot write ${file}: ${messageOf(error)}`);
  }
}
