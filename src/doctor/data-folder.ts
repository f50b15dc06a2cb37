import { constants, type Stats } from "node:fs";
import { access, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { codeOf } from "../core/base/fault.ts";
import { unlessMissing } from "../files/file-error.ts";
import type { Settings } from "../gate/settings/settings.ts";
import { type Finding, type Findings, hint, ok, orOk, problem } from "./check.ts";
import type { Installation } from "./installation.ts";

const OPEN = 0o077;
const READABLE_BY_OTHERS = 0o004;
const STICKY = 0o1000;
const ENTERED_BY_OTHERS = 0o001;
const ALL = constants.R_OK | constants.W_OK | constants.X_OK;

export async function checkDataFolder({ settings }: Installation): Promise<Findings> {
  const { dataDir, database, setupTokenFile } = settings;
  const databaseFolder = databaseFolderOf(settings);
  const databaseFiles = database.kind === "sqlite" ? withLogs(database.file) : [];
  if (databaseFolder === undefined || databaseFolder === dataDir) {
    return checkFolder("DATA_DIR", dataDir, [...databaseFiles, setupTokenFile]);
  }
  return [
    ...(await checkFolder("DATA_DIR", dataDir, [setupTokenFile])),
    ...(await checkFolder("DATABASE_URL", databaseFolder, databaseFiles)),
  ];
}

/** Where SQLite writes, or `undefined` with PostgreSQL. */
export const databaseFolderOf = ({ database }: Settings): string | undefined =>
  database.kind === "sqlite" ? dirname(database.file) : undefined;

const withLogs = (file: string): readonly string[] => [file, `${file}-wal`, `${file}-shm`];

type Named = "DATA_DIR" | "DATABASE_URL";

/** The folder that a setting names, and files of the gate's. */
async function checkFolder(
  setting: Named,
  path: string,
  files: readonly string[],
): Promise<readonly Finding[]> {
  const folder = await statsOf(path);
  if (folder === undefined) return [await missingFinding(path, setting)];
  if (!folder.isDirectory()) return [problem(`${path} is not a folder`, `correct ${setting}`)];
  const denied = await denialOf(path, ALL);
  if (denied !== undefined) {
    const remedy = folder.uid === process.geteuid?.() ? `chmod 700 ${path}` : asUser(folder.uid);
    return [deniedFinding(path, denied, `${me()} cannot read and write in ${path}`, remedy)];
  }
  const found = await existing(files);
  // A setup token in another folder may belong to another user.
  const inside = found.filter((file) => dirname(file.path) === path);
  // The app may have other files beside its database, for other users.
  const isPrivate = setting === "DATA_DIR";
  return orOk(
    [
      ...(await Promise.all(inside.map(writeFinding))),
      isPrivate ? ownerFinding(path, folder, inside) : undefined,
      writableFinding(path, folder, setting),
      readableFinding(folder, found) ?? (isPrivate ? modeFinding(path, folder) : undefined),
    ],
    `${path} exists and is ${isPrivate ? "private" : "writable"}`,
  );
}

interface Entry {
  readonly path: string;
  readonly stats: Stats;
}

const statsOf = (path: string): Promise<Stats | undefined> => unlessMissing(stat(path));

async function existing(files: readonly string[]): Promise<readonly Entry[]> {
  const found = await Promise.all(
    files.map(async (path) => ({ path, stats: await statsOf(path) })),
  );
  return found.flatMap(({ path, stats }) => (stats === undefined ? [] : [{ path, stats }]));
}

/** The path itself, or the nearest folder above it that exists. */
export async function nearestExisting(path: string): Promise<Entry> {
  const stats = await statsOf(path);
  return stats === undefined ? nearestExisting(dirname(path)) : { path, stats };
}

/** The gate creates the folder, and the missing folders above it. */
async function missingFinding(path: string, setting: string): Promise<Finding> {
  const { path: above, stats } = await nearestExisting(path);
  if (!stats.isDirectory()) {
    return problem(`cannot create ${path}: ${above} is not a folder`, `correct ${setting}`);
  }
  const denied = await denialOf(above, constants.W_OK);
  if (denied === undefined) {
    return ok(`${path} does not exist yet: the gate creates it at its first start`);
  }
  return deniedFinding(
    above,
    denied,
    `${path} does not exist, and ${me()} cannot create it: no write permission for ${above}`,
    `create it for the gate's user: install -d -m 700 -o ${me()} ${path}`,
  );
}

/** The code of the error, or `undefined` if this user has access. */
const denialOf = (path: string, mode: number): Promise<string | undefined> =>
  access(path, mode).then(
    () => undefined,
    (error) => codeOf(error) ?? "",
  );

/** A file system may be read-only for root, too. */
const deniedFinding = (path: string, code: string, found: string, remedy: string): Finding =>
  code === "EROFS"
    ? problem(
        `${path} is on a read-only file system`,
        `mount -o remount,rw "$(findmnt -no TARGET -T ${path})"; in a container, mount a writable volume there; in a unit, add ReadWritePaths=${path}`,
      )
    : problem(found, remedy);

const asUser = (uid: number): string =>
  `run this and other commands as the gate's user: sudo -u '#${uid}' latchkey doctor`;

async function writeFinding({ path }: Entry): Promise<Finding | undefined> {
  const denied = await denialOf(path, constants.W_OK);
  if (denied === undefined) return undefined;
  return deniedFinding(
    path,
    denied,
    `${me()} cannot write to ${path}`,
    `run this as the gate's user; if that is ${me()}: chown ${me()} ${path}`,
  );
}

/** The gate cannot write to files of another user, often made by a command that ran with sudo. */
function ownerFinding(path: string, folder: Stats, files: readonly Entry[]): Finding | undefined {
  const foreign = files.filter(({ stats }) => stats.uid !== folder.uid);
  if (foreign.length > 0) {
    const paths = foreign.map((file) => file.path).join(" ");
    return problem(
      `${path} contains files of another user: ${paths}`,
      `chown --reference=${path} ${paths}, and run commands as the gate's user`,
    );
  }
  if (folder.uid === process.geteuid?.()) return undefined;
  return hint(
    `${path} belongs to user ${folder.uid}, but this command runs as ${me()}`,
    asUser(folder.uid),
  );
}

function readableFinding(folder: Stats, files: readonly Entry[]): Finding | undefined {
  const readable = files.filter(({ stats }) => (stats.mode & READABLE_BY_OTHERS) !== 0);
  if (readable.length === 0 || (folder.mode & ENTERED_BY_OTHERS) === 0) return undefined;
  const paths = readable.map(({ path }) => path).join(" ");
  return problem(`every local user can read ${paths}`, `chmod 600 ${paths}`);
}

/** Who can write to the folder can replace the database. The group of an app's folder may be its own. */
function writableFinding(path: string, folder: Stats, setting: Named): Finding | undefined {
  if ((folder.mode & (setting === "DATA_DIR" ? 0o022 : 0o002)) === 0) return undefined;
  return problem(
    `other local users can write to ${path}, and put files in place of the gate's: its mode is ${modeOf(folder)}`,
    (folder.mode & STICKY) === 0
      ? `chmod ${setting === "DATA_DIR" ? "700" : "o-w"} ${path}`
      : `set ${setting} to a folder of its own, and move the files there`,
  );
}

function modeFinding(path: string, folder: Stats): Finding | undefined {
  if ((folder.mode & OPEN) === 0 || (folder.mode & 0o022) !== 0) return undefined;
  const found = `other local users have access to ${path}: its mode is ${modeOf(folder)}`;
  return hint(found, `chmod 700 ${path}`);
}

const modeOf = ({ mode }: Stats): string => (mode & 0o7777).toString(8);

/** In a container, the user often has only a number, and no name. */
function me(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.geteuid?.());
  }
}
