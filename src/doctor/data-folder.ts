import { constants, type Stats } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { explainFileError, ignoreMissing } from "../lib/files/file-error.ts";
import {
  type Check,
  collectFindings,
  createCheck,
  type Finding,
  hint,
  ok,
  problem,
} from "./check.ts";
import { isDangling } from "./installation.ts";

/** Describes a folder that the gate writes to, the setting that names it, and the gate's files. */
interface Folder {
  /** Only DATA_DIR must be private. An app may have files for other users beside its database. */
  readonly setting: "DATA_DIR" | "DATABASE_URL";
  readonly path: string;
  readonly files: readonly string[];
}

export const checkDataFolder: Check = createCheck(
  "data folder",
  ["dataDir", "database", "setupTokenFile"],
  async ({ settings: { dataDir, database, setupTokenFile } }) => {
    const dataFolder = { setting: "DATA_DIR", path: dataDir, files: [setupTokenFile] } as const;
    if (database.kind === "postgres") return reportFolder(dataFolder);
    const files = ["", "-wal", "-shm"].map((end) => `${database.file}${end}`);
    const path = dirname(database.file);
    if (path === dataDir) return reportFolder({ ...dataFolder, files: [...files, setupTokenFile] });
    const other = { setting: "DATABASE_URL", path, files } as const;
    return [...(await reportFolder(dataFolder)), ...(await reportFolder(other))];
  },
);

async function reportFolder(folder: Folder): Promise<readonly Finding[]> {
  const { setting, path, files } = folder;
  const dangling = await findDanglingLink(path);
  if (dangling !== undefined) {
    return [
      problem(
        `cannot use ${path}: ${dangling} is a link to a folder that does not exist`,
        `mount the disk or make the folder that readlink ${dangling} prints, or correct ${setting}`,
      ),
    ];
  }
  const { path: nearest, stats } = await findNearestExisting(path);
  if (!stats.isDirectory()) {
    return [problem(`cannot use ${path}: ${nearest} is not a folder`, `correct ${setting}`)];
  }
  const isMissing = nearest !== path;
  const all = constants.R_OK | constants.W_OK | constants.X_OK;
  const denied = await access(nearest, isMissing ? constants.W_OK : all).catch(explainFileError);
  if (denied !== undefined) {
    return [
      problem(
        `cannot ${isMissing ? "create" : "read and write in"} ${path}: ${denied}`,
        `run this as the gate's user, to whom the folder must belong, on a writable file system: install -d -m 700 -o USER ${path}`,
      ),
    ];
  }
  if (isMissing) return [ok(`${path} does not exist yet: the gate creates it at its first start`)];
  const entries = (await Promise.all(files.map(readEntry))).filter((entry) => entry !== undefined);
  const isOwn = setting === "DATA_DIR";
  // A setup token in another folder may belong to another user.
  const inside = entries.filter((file) => dirname(file.path) === path);
  return collectFindings(
    [
      await reportUnwritable(inside),
      isOwn && reportOwner(path, stats, inside),
      reportReadable(stats, entries),
      reportMode(folder, stats),
    ],
    `${path} exists and is ${isOwn ? "private" : "writable"}`,
  );
}

interface FolderEntry {
  readonly path: string;
  readonly stats: Stats;
}

const readEntry = (path: string): Promise<FolderEntry | undefined> =>
  ignoreMissing(stat(path).then((stats) => ({ path, stats })));

/** Finds a link that leads nowhere: the path itself or a folder above it. */
async function findDanglingLink(path: string): Promise<string | undefined> {
  if ((await readEntry(path)) !== undefined) return undefined;
  return (await isDangling(path)) ? path : findDanglingLink(dirname(path));
}

/** Finds the path itself, or the nearest folder above it that exists. */
const findNearestExisting = async (path: string): Promise<FolderEntry> =>
  (await readEntry(path)) ?? findNearestExisting(dirname(path));

/**
 * Reports a database that the gate cannot write to, in any folder. The gate cannot start with it.
 */
async function reportUnwritable(files: readonly FolderEntry[]): Promise<Finding | undefined> {
  for (const { path } of files) {
    const reason = await access(path, constants.W_OK).catch(explainFileError);
    if (reason === undefined) continue;
    return problem(
      `cannot write to ${path}: ${reason}`,
      `if the gate runs as the user of this command: chown ${process.geteuid?.()} ${path} && chmod u+rw ${path}`,
    );
  }
  return undefined;
}

/**
 * Reports files of another user, which the gate cannot write to. A command that ran with sudo often
 * creates such files.
 */
function reportOwner(
  path: string,
  { uid }: Stats,
  files: readonly FolderEntry[],
): Finding | undefined {
  const paths = files
    .filter((file) => file.stats.uid !== uid)
    .map((file) => file.path)
    .join(" ");
  if (paths !== "") {
    return problem(
      `${path} contains files of another user: ${paths}`,
      `chown --reference=${path} ${paths}, and run commands as the gate's user`,
    );
  }
  if (uid === process.geteuid?.()) return undefined;
  return hint(
    `${path} belongs to user ${uid}, but this command runs as user ${process.geteuid?.()}`,
    `run this and other commands as the gate's user: sudo -u '#${uid}' latchkey doctor`,
  );
}

export const READABLE_BY_OTHERS = 0o004;
const ENTERED_BY_OTHERS = 0o001;
const STICKY = 0o1000;

function reportReadable({ mode }: Stats, files: readonly FolderEntry[]): Finding | undefined {
  const readable = files.filter(({ stats }) => (stats.mode & READABLE_BY_OTHERS) !== 0);
  if (readable.length === 0 || (mode & ENTERED_BY_OTHERS) === 0) return undefined;
  const paths = readable.map(({ path }) => path).join(" ");
  return problem(`every local user can read ${paths}`, `chmod 600 ${paths}`);
}

/**
 * Reports a mode that is too open: users who can write to the folder can replace the database. The
 * group of an app's folder may be the app's own group.
 */
function reportMode({ setting, path }: Folder, { mode }: Stats): Finding | undefined {
  const [written, open] = setting === "DATA_DIR" ? [0o022, 0o077] : [0o002, 0o002];
  const chmod = `chmod ${setting === "DATA_DIR" ? "700" : "o-w"} ${path}`;
  const its = `its mode is ${(mode & 0o7777).toString(8)}`;
  if ((mode & written) !== 0) {
    const move = `set ${setting} to a folder of its own, and move the files there`;
    return problem(
      `other local users can write to ${path}, and put files in place of the gate's: ${its}`,
      (mode & STICKY) === 0 ? chmod : move,
    );
  }
  if ((mode & open) === 0) return undefined;
  return hint(`other local users have access to ${path}: ${its}`, chmod);
}

const MEBIBYTE = 1024 * 1024;
const SCARCE_MIB = 100;
const FULL_MIB = 10;

/** Lists file systems whose locks are unreliable for SQLite, or that lack shared memory. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x65735546, "FUSE"],
  [0x01021997, "9p"],
  [0x00c36400, "Ceph"],
  [0x5346414f, "AFS"],
  [0x786f4256, "VirtualBox"],
]);

export const checkDisk: Check = createCheck(
  "disk",
  ["dataDir", "database"],
  async ({ settings }) => {
    const { dataDir, database } = settings;
    const databaseFolder = database.kind === "sqlite" ? dirname(database.file) : undefined;
    const findings = [...new Set([dataDir, databaseFolder ?? dataDir])].map(async (folder) => {
      const { path } = await findNearestExisting(folder);
      const { bavail, bsize, type } = await statfs(path);
      const disk = { freeMib: Math.floor((bavail * bsize) / MEBIBYTE), type: type >>> 0 };
      return reportDisk(folder, disk, folder === databaseFolder ? "database" : "no-database");
    });
    return (await Promise.all(findings)).flat();
  },
);

function reportDisk(
  folder: string,
  { freeMib, type }: { readonly freeMib: number; readonly type: number },
  holds: "database" | "no-database",
): readonly Finding[] {
  const scarce = (freeMib < FULL_MIB ? problem : hint)(
    `only ${freeMib} MiB free at ${folder}`,
    `remove other files, or enlarge the disk. LOG_RETENTION keeps the database from growing, but frees nothing by itself: an SQLite file shrinks only by VACUUM, while the gate is stopped, which needs as much space as the file`,
  );
  const network = NETWORK_FILE_SYSTEMS.get(type);
  const unreliable = hint(
    `${folder} is on a network file system (${network}), where SQLite can lose data`,
    "move the database to a local disk, or to PostgreSQL (DATABASE_URL)",
  );
  const free = freeMib < 10_240 ? `${freeMib} MiB` : `${Math.floor(freeMib / 1_024)} GiB`;
  return collectFindings(
    [freeMib < SCARCE_MIB && scarce, network !== undefined && holds === "database" && unreliable],
    `${free} free at ${folder}`,
  );
}
