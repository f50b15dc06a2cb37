import { constants, type Stats } from "node:fs";
import { access, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { unlessMissing } from "../core/file-error.ts";
import type { Settings } from "../gate/settings/settings.ts";
import { type Finding, type Findings, hint, ok, orOk, problem } from "./check.ts";
import type { Installation } from "./installation.ts";

const OPEN = 0o077;
const READABLE_BY_OTHERS = 0o004;
const ENTERED_BY_OTHERS = 0o001;
const ALL = constants.R_OK | constants.W_OK | constants.X_OK;

export async function checkDataFolder({ settings }: Installation): Promise<Findings> {
  const { dataDir } = settings;
  const folder = await statsOf(dataDir);
  if (folder === undefined) return missingFinding(dataDir);
  if (!folder.isDirectory()) {
    return problem(`DATA_DIR ${dataDir} is not a folder`, "set DATA_DIR to a folder");
  }
  if (!(await allows(dataDir, ALL))) {
    return problem(
      `${me()} cannot read and write in ${dataDir}`,
      folder.uid === process.geteuid?.() ? `chmod 700 ${dataDir}` : asUser(folder.uid),
    );
  }
  const files = await filesOf(settings);
  // A setup token in another folder may belong to another user.
  const inside = files.filter(({ path }) => dirname(path) === dataDir);
  return orOk(
    [
      ...(await Promise.all(inside.map(writeFinding))),
      ownerFinding(dataDir, folder, inside),
      modeFinding(dataDir, folder, files),
    ],
    `${dataDir} exists and is private`,
  );
}

interface Entry {
  readonly path: string;
  readonly stats: Stats;
}

const statsOf = (path: string): Promise<Stats | undefined> => unlessMissing(stat(path));

async function filesOf(settings: Settings): Promise<readonly Entry[]> {
  const { databaseFile: file, databaseUrl, setupTokenFile } = settings;
  const database = databaseUrl === undefined ? [file, `${file}-wal`, `${file}-shm`] : [];
  const found = await Promise.all(
    [...database, setupTokenFile].map(async (path) => ({ path, stats: await statsOf(path) })),
  );
  return found.flatMap(({ path, stats }) => (stats === undefined ? [] : [{ path, stats }]));
}

/** The path itself, or the nearest folder above it that exists. */
export async function nearestExisting(path: string): Promise<Entry> {
  const stats = await statsOf(path);
  return stats === undefined ? nearestExisting(dirname(path)) : { path, stats };
}

/** The gate creates the data folder, and the missing folders above it. */
async function missingFinding(dataDir: string): Promise<Finding> {
  const { path: above, stats } = await nearestExisting(dataDir);
  if (!stats.isDirectory()) {
    return problem(
      `cannot create ${dataDir}: ${above} is not a folder`,
      "set DATA_DIR to a folder",
    );
  }
  if (await allows(above, constants.W_OK)) {
    return ok(`${dataDir} does not exist yet: the gate creates it at its first start`);
  }
  return problem(
    `${dataDir} does not exist, and ${me()} cannot create it: no write permission for ${above}`,
    `create it for the gate's user: install -d -m 700 -o ${me()} ${dataDir}`,
  );
}

const allows = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );

const asUser = (uid: number): string =>
  `run this and other commands as the gate's user: sudo -u '#${uid}' latchkey doctor`;

async function writeFinding({ path }: Entry): Promise<Finding | undefined> {
  if (await allows(path, constants.W_OK)) return undefined;
  return problem(
    `${me()} cannot write to ${path}`,
    `run this as the gate's user; if that is ${me()}: chown ${me()} ${path}`,
  );
}

/** The gate cannot write to files of another user, often made by a command that ran with sudo. */
function ownerFinding(
  dataDir: string,
  folder: Stats,
  files: readonly Entry[],
): Finding | undefined {
  const foreign = files.filter(({ stats }) => stats.uid !== folder.uid);
  if (foreign.length > 0) {
    const paths = foreign.map(({ path }) => path).join(" ");
    return problem(
      `${dataDir} contains files of another user: ${paths}`,
      `chown --reference=${dataDir} ${paths}, and run commands as the gate's user`,
    );
  }
  if (folder.uid === process.geteuid?.()) return undefined;
  return hint(
    `${dataDir} belongs to user ${folder.uid}, but this command runs as ${me()}`,
    asUser(folder.uid),
  );
}

function modeFinding(dataDir: string, folder: Stats, files: readonly Entry[]): Finding | undefined {
  const readable = files.filter(({ stats }) => (stats.mode & READABLE_BY_OTHERS) !== 0);
  if (readable.length > 0 && (folder.mode & ENTERED_BY_OTHERS) !== 0) {
    const paths = readable.map(({ path }) => path).join(" ");
    return problem(
      `every local user can read ${paths}`,
      `chmod 600 ${paths} && chmod 700 ${dataDir}`,
    );
  }
  if ((folder.mode & OPEN) === 0) return undefined;
  const mode = (folder.mode & 0o777).toString(8);
  return hint(
    `other local users have access to ${dataDir}: its mode is ${mode}`,
    `chmod 700 ${dataDir}`,
  );
}

/** In a container, the user often has only a number, and no name. */
function me(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.geteuid?.());
  }
}
