import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { Fault, tryCall } from "../../lib/fault.ts";
import { getFileId } from "./file.ts";
import { isDatabase } from "./open.ts";

/**
 * SQLite puts these files beside a database, and would apply them to another database of the same
 * name.
 */
export const COMPANION_SUFFIXES = ["-wal", "-shm", "-journal"] as const;

/** SQLite would take a file with such a name for a part of the database before the suffix. */
const PART = /^(.+)-(?:wal|shm|journal)$/is;

/** Returns whether both absolute paths lead to one file, or to one name in one folder. */
export function isSameFile(first: string, second: string): boolean {
  const fileId = getFileId(first);
  if (fileId !== undefined && fileId !== "missing" && fileId === getFileId(second)) {
    return true;
  }
  const places = listNormalPaths(second);
  return listNormalPaths(first).some((path) => places.includes(path));
}

/**
 * Lists a path and its real path: SQLite puts its files beside the target of a link, and other
 * programs beside the link.
 */
const listPaths = (path: string): readonly string[] => {
  const real = tryCall(() => realpathSync(path));
  return real === undefined || real === path ? [path] : [path, real];
};

const listNormalPaths = (path: string): readonly string[] => listPaths(path).map(normalizePath);

/**
 * Identifies the folder by its ID, and the name without case, since some file systems ignore the
 * case.
 */
function normalizePath(path: string): string {
  const folder = dirname(path);
  const folderId = getFileId(folder);
  const isKnown = (folderId !== undefined && folderId !== "missing") || folder === path;
  const name = basename(path).normalize("NFC").toLowerCase();
  return `${isKnown ? folderId : normalizePath(folder)}/${name}`;
}

/** Returns whether the file is one of the files of a database. The files may not exist yet. */
export const belongsToDatabase = (file: string, database: string): boolean =>
  listPaths(database).some((main) =>
    ["", ...COMPANION_SUFFIXES].some((suffix) => isSameFile(file, `${main}${suffix}`)),
  );

/**
 * Decides for every command whether it may write a file. Call this function before the database is
 * open: closing a file drops all locks that this process holds on the file.
 *
 * @param database The database of the settings or of the command, if it is an SQLite file.
 * @param over What the file may replace: only a backup may replace a database, while that is
 * closed.
 * @throws If the file belongs to a database.
 */
export function requireNoDatabase(
  file: string,
  database: string | undefined,
  over: "no-database" | "closed-database",
): void {
  if (database !== undefined && belongsToDatabase(file, database)) {
    const isMain = listPaths(database).some((main) => isSameFile(file, main));
    const what = isMain ? "the database itself" : "a part of the database";
    throw new Fault("same_file", `${file} is ${what}`);
  }
  requireOwnName(file);
  const beside = findCompanion(file);
  if (beside !== undefined) {
    const remedy = "choose another name, or delete it if no program uses a database of that name";
    throw new Fault("same_file", `${beside} exists, a part of the database ${file}: ${remedy}`);
  }
  if (over === "no-database" && detectFileKind(file) === "database") {
    throw new Fault("same_file", `${file} is a database: choose another name`);
  }
}

/** @throws If SQLite would take the file for a part of another database. */
export function requireOwnName(file: string): void {
  for (const path of listPaths(file)) {
    const [, main] = PART.exec(path) ?? [];
    if (main === undefined || detectFileKind(main) === "other") continue;
    const text = `${file} is a part of the database ${main}: choose another name`;
    throw new Fault("database_unwritable", text);
  }
}

/**
 * Refuses to create a database beside the log of a lost database: SQLite would delete the log, or
 * apply it, and without accounts anyone could set up the server.
 */
export function requireNothingBeside(file: string): void {
  const beside = findCompanion(file);
  if (beside === undefined) return;
  throw new Fault(
    "database_incomplete",
    `${file} is missing, but ${beside} exists, which has changes to it: put the file back where it was, run \`latchkey restore\` with a backup, or move ${beside} away to start with an empty database`,
  );
}

/** Finds a file that SQLite would take for a part of the database of that name. */
const findCompanion = (file: string): string | undefined =>
  listPaths(file)
    .flatMap((path) => COMPANION_SUFFIXES.map((suffix) => `${path}${suffix}`))
    .find((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);

/** Detects the kind of a file. An empty file can be a database that is being created. */
function detectFileKind(file: string): "database" | "empty" | "other" {
  if (!existsSync(file) || !statSync(file).isFile()) return "other";
  if (statSync(file).size === 0) return "empty";
  // A file that this user cannot read may be a database.
  return tryCall(() => isDatabase(file)) === false ? "other" : "database";
}
