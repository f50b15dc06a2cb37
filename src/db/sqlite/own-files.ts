import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { Fault, unlessThrown } from "../../core/base/fault.ts";
import { fileIdentity } from "./file.ts";
import { isDatabase } from "./open.ts";

/** What SQLite puts beside a database, and would apply to another one of the same name. */
export const BESIDE = ["-wal", "-shm", "-journal"] as const;

/** A name of which SQLite would take the file for a part of the database before the suffix. */
const PART = /^(.+)-(?:wal|shm|journal)$/is;

/** Whether both absolute paths lead to one file, or to one name in one folder. */
export function isSameFile(one: string, other: string): boolean {
  const identity = fileIdentity(one);
  if (identity !== undefined && identity !== "missing" && identity === fileIdentity(other)) {
    return true;
  }
  const places = placesOf(other);
  return placesOf(one).some((place) => places.includes(place));
}

/** SQLite puts its files beside the target of a link, and other programs beside the link. */
const pathsOf = (path: string): readonly string[] => {
  const real = unlessThrown(() => realpathSync(path));
  return real === undefined || real === path ? [path] : [path, real];
};

const placesOf = (path: string): readonly string[] => pathsOf(path).map(placeOf);

/** The folder by its identity, and the name without case, since some file systems ignore it. */
function placeOf(path: string): string {
  const folder = dirname(path);
  const identity = fileIdentity(folder);
  const isKnown = (identity !== undefined && identity !== "missing") || folder === path;
  const name = basename(path).normalize("NFC").toLowerCase();
  return `${isKnown ? identity : placeOf(folder)}/${name}`;
}

/** Whether it is one of the files of a database, which may not exist yet. */
export const isPartOf = (file: string, database: string): boolean =>
  pathsOf(database).some((main) =>
    ["", ...BESIDE].some((suffix) => isSameFile(file, `${main}${suffix}`)),
  );

/**
 * Decides for every command whether it may write a file. Call it before the database is open:
 * closing a file drops all locks that this process holds on it.
 *
 * @param database The database of the settings or of the command, if it is an SQLite file.
 * @param over What the file may replace: only a backup may replace a database, while that is closed.
 * @throws If the file belongs to a database.
 */
export function requireNoDatabase(
  file: string,
  database: string | undefined,
  over: "no-database" | "closed-database",
): void {
  if (database !== undefined && isPartOf(file, database)) {
    const isMain = pathsOf(database).some((main) => isSameFile(file, main));
    const what = isMain ? "the database itself" : "a part of the database";
    throw new Fault("same_file", `${file} is ${what}`);
  }
  requireOwnName(file);
  const beside = besideAny(file);
  if (beside !== undefined) {
    const remedy = "choose another name, or delete it if no program uses a database of that name";
    throw new Fault("same_file", `${beside} exists, a part of the database ${file}: ${remedy}`);
  }
  if (over === "no-database" && isKindOfDatabase(file) === "database") {
    throw new Fault("same_file", `${file} is a database: choose another name`);
  }
}

/** @throws If SQLite would take the file for a part of another database. */
export function requireOwnName(file: string): void {
  for (const path of pathsOf(file)) {
    const [, main] = PART.exec(path) ?? [];
    if (main === undefined || isKindOfDatabase(main) === "other") continue;
    const text = `${file} is a part of the database ${main}: choose another name`;
    throw new Fault("database_unwritable", text);
  }
}

/**
 * Refuses to create a database beside the log of one that is lost: SQLite would delete the log, or
 * apply it, and without accounts anyone could set up the server.
 */
export function requireNothingBeside(file: string): void {
  const beside = besideAny(file);
  if (beside === undefined) return;
  throw new Fault(
    "database_incomplete",
    `${file} is missing, but ${beside} exists, which has changes to it: put the file back where it was, run \`latchkey restore\` with a backup, or move ${beside} away to start with an empty database`,
  );
}

/** What SQLite would take for a part of the database of that name. */
const besideAny = (file: string): string | undefined =>
  pathsOf(file)
    .flatMap((path) => BESIDE.map((suffix) => `${path}${suffix}`))
    .find((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);

/** An empty file can be a database that is being created. */
function isKindOfDatabase(file: string): "database" | "empty" | "other" {
  if (!existsSync(file) || !statSync(file).isFile()) return "other";
  if (statSync(file).size === 0) return "empty";
  // What this user cannot read may be a database.
  return unlessThrown(() => isDatabase(file)) === false ? "other" : "database";
}
