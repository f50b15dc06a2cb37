import { constants, type Stats } from "node:fs";
import { access, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { codeOf } from "../core/base/fault.ts";
import { unlessMissing } from "../files/file-error.ts";
import type { Place } from "../stores/place.ts";
import { type Check, checkOf, type Finding, hint, ok, orOk, problem } from "./check.ts";

const READABLE_BY_OTHERS = 0o004;
const STICKY = 0o1000;
const ENTERED_BY_OTHERS = 0o001;
const ALL = constants.R_OK | constants.W_OK | constants.X_OK;

export const checkDataFolder: Check = checkOf(
  "data folder",
  ["dataDir", "database", "setupTokenFile"],
  async ({ settings: { dataDir, database, setupTokenFile } }) => {
    const folder = databaseFolderOf(database);
    const files =
      database.kind === "sqlite" ? ["", "-wal", "-shm"].map((one) => `${database.file}${one}`) : [];
    if (folder === undefined || folder === dataDir) {
      return checkFolder("DATA_DIR", dataDir, [...files, setupTokenFile]);
    }
    return [
      ...(await checkFolder("DATA_DIR", dataDir, [setupTokenFile])),
      ...(await checkFolder("DATABASE_URL", folder, files)),
    ];
  },
);

/** Where SQLite writes, or `undefined` with PostgreSQL. */
export const databaseFolderOf = (place: Place): string | undefined =>
  place.kind === "sqlite" ? dirname(place.file) : undefined;

/** An app may have other files beside its database, for other users: only DATA_DIR is private. */
type Named = "DATA_DIR" | "DATABASE_URL";

/** The folder that a setting names, and files of the gate's. */
async function checkFolder(
  setting: Named,
  path: string,
  files: readonly string[],
): Promise<readonly Finding[]> {
  const { path: nearest, stats: folder } = await nearestExisting(path);
  if (!folder.isDirectory()) {
    return [problem(`cannot use ${path}: ${nearest} is not a folder`, `correct ${setting}`)];
  }
  if (nearest !== path) return [await missingFinding(path, nearest)];
  const denied = await deniedFinding(path, ALL, {
    found: `${me()} cannot read and write in ${path}`,
    remedy: folder.uid === process.geteuid?.() ? `chmod 700 ${path}` : asUser(folder.uid),
  });
  if (denied !== undefined) return [denied];
  const found = (await Promise.all(files.map(entryOf))).filter((entry) => entry !== undefined);
  // A setup token in another folder may belong to another user.
  const inside = found.filter((file) => dirname(file.path) === path);
  return orOk(
    [
      ...(await Promise.all(inside.map(writeFinding))),
      setting === "DATA_DIR" ? ownerFinding(path, folder, inside) : undefined,
      readableFinding(folder, found),
      modeFinding(path, folder, setting),
    ],
    `${path} exists and is ${setting === "DATA_DIR" ? "private" : "writable"}`,
  );
}

interface Entry {
  readonly path: string;
  readonly stats: Stats;
}

const entryOf = (path: string): Promise<Entry | undefined> =>
  unlessMissing(stat(path).then((stats) => ({ path, stats })));

/** The path itself, or the nearest folder above it that exists. */
export const nearestExisting = async (path: string): Promise<Entry> =>
  (await entryOf(path)) ?? nearestExisting(dirname(path));

/** The gate creates the folder, and the missing folders above it. */
async function missingFinding(path: string, above: string): Promise<Finding> {
  const denied = await deniedFinding(above, constants.W_OK, {
    found: `${path} does not exist, and ${me()} cannot create it: no write permission for ${above}`,
    remedy: `create it for the gate's user: install -d -m 700 -o ${me()} ${path}`,
  });
  return denied ?? ok(`${path} does not exist yet: the gate creates it at its first start`);
}

/** A problem if this user has no such access. A file system may be read-only for root, too. */
async function deniedFinding(
  path: string,
  mode: number,
  { found, remedy }: { readonly found: string; readonly remedy: string },
): Promise<Finding | undefined> {
  try {
    await access(path, mode);
    return undefined;
  } catch (error) {
    if (codeOf(error) !== "EROFS") return problem(found, remedy);
    return problem(
      `${path} is on a read-only file system`,
      `mount -o remount,rw "$(findmnt -no TARGET -T ${path})"; in a container, mount a writable volume there; in a unit, add ReadWritePaths=${path}`,
    );
  }
}

const asUser = (uid: number): string =>
  `run this and other commands as the gate's user: sudo -u '#${uid}' latchkey doctor`;

const writeFinding = ({ path }: Entry): Promise<Finding | undefined> =>
  deniedFinding(path, constants.W_OK, {
    found: `${me()} cannot write to ${path}`,
    remedy: `run this as the gate's user; if that is ${me()}: chown ${me()} ${path}`,
  });

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
function modeFinding(path: string, { mode }: Stats, setting: Named): Finding | undefined {
  const [written, open] = setting === "DATA_DIR" ? [0o022, 0o077] : [0o002, 0o002];
  const chmod = `chmod ${setting === "DATA_DIR" ? "700" : "o-w"} ${path}`;
  const its = `its mode is ${(mode & 0o7777).toString(8)}`;
  if ((mode & written) !== 0) {
    return problem(
      `other local users can write to ${path}, and put files in place of the gate's: ${its}`,
      (mode & STICKY) === 0
        ? chmod
        : `set ${setting} to a folder of its own, and move the files there`,
    );
  }
  if ((mode & open) === 0) return undefined;
  return hint(`other local users have access to ${path}: ${its}`, chmod);
}

/** In a container, the user often has only a number, and no name. */
function me(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.geteuid?.());
  }
}
