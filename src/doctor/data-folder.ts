import { constants, type Stats } from "node:fs";
import { access, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { unlessMissing } from "../core/file-error.ts";
import type { Settings } from "../gate/settings/settings.ts";
import type { Check } from "./check.ts";
import { type Finding, hint, ok, orOk, problem } from "./finding.ts";

const OPEN = 0o077;
const READABLE_BY_OTHERS = 0o004;
const ENTERED_BY_OTHERS = 0o001;

export const dataFolderCheck: Check = {
  name: "data folder",
  settings: ["DATA_DIR", "DATABASE_URL", "SETUP_TOKEN_FILE"],

  async look({ settings }) {
    const { dataDir } = settings;
    const folder = await statsOf(dataDir);
    if (folder === undefined) return [await notThere(dataDir)];
    if (!folder.isDirectory()) {
      return [problem(`DATA_DIR ${dataDir} is no folder`, "set DATA_DIR to a folder")];
    }
    if (!(await allows(dataDir, ALL))) return [barred(dataDir, folder)];
    const files = await filesIn(settings);
    // A setup token in another folder may belong to another user.
    const inside = files.filter(({ path }) => dirname(path) === dataDir);
    return orOk(
      [
        ...(await writeFindings(inside)),
        ...ownerFindings(dataDir, folder, inside),
        ...modeFindings(dataDir, folder, files),
      ],
      `${dataDir} is there, and nobody else's`,
    );
  },
};

interface Entry {
  readonly path: string;
  readonly stats: Stats;
}

const statsOf = (path: string): Promise<Stats | undefined> => unlessMissing(stat(path));

async function filesIn(settings: Settings): Promise<readonly Entry[]> {
  const { databaseFile: file, databaseUrl, setupTokenFile } = settings;
  const database = databaseUrl === undefined ? [file, `${file}-wal`, `${file}-shm`] : [];
  const found = await Promise.all(
    [...database, setupTokenFile].map(async (path) => ({ path, stats: await statsOf(path) })),
  );
  return found.flatMap(({ path, stats }) => (stats === undefined ? [] : [{ path, stats }]));
}

/** The gate creates the data folder, and the missing folders above it. */
async function notThere(dataDir: string): Promise<Finding> {
  let above = dirname(dataDir);
  let stats = await statsOf(above);
  while (stats === undefined) {
    above = dirname(above);
    stats = await statsOf(above);
  }
  if (!stats.isDirectory()) {
    return problem(`${dataDir} cannot be made: ${above} is no folder`, "set DATA_DIR to a folder");
  }
  if (await allows(above, constants.W_OK)) {
    return ok(`${dataDir} is not there yet: the first start makes it`);
  }
  return problem(
    `${dataDir} is not there, and cannot be made: ${me()} may not write to ${above}`,
    `make it for the gate's user: install -d -m 700 -o ${me()} ${dataDir}`,
  );
}

const ALL = constants.R_OK | constants.W_OK | constants.X_OK;

function allows(path: string, what: number): Promise<boolean> {
  return access(path, what).then(
    () => true,
    () => false,
  );
}

function barred(dataDir: string, { uid }: Stats): Finding {
  const mine = uid === process.geteuid?.();
  return problem(
    `${me()} may not read and write in ${dataDir}`,
    mine ? `chmod 700 ${dataDir}` : `run this as the gate's user: ${asUser(uid)}`,
  );
}

const asUser = (uid: number): string => `sudo -u '#${uid}' latchkey doctor`;

async function writeFindings(entries: readonly Entry[]): Promise<readonly Finding[]> {
  const writable = await Promise.all(entries.map(({ path }) => allows(path, constants.W_OK)));
  return entries
    .filter((_, at) => writable[at] === false)
    .map(({ path }) =>
      problem(
        `${me()} may not write to ${path}`,
        `run this as the gate's user; if that is ${me()}: chown ${me()} ${path}`,
      ),
    );
}

/** The gate cannot write to files of another user, often made by a command that ran with sudo. */
function ownerFindings(
  dataDir: string,
  folder: Stats,
  files: readonly Entry[],
): readonly Finding[] {
  const foreign = files.filter(({ stats }) => stats.uid !== folder.uid);
  if (foreign.length > 0) {
    const paths = foreign.map(({ path }) => path).join(" ");
    return [
      problem(
        `not all in ${dataDir} belongs to one user: ${paths}`,
        `chown --reference=${dataDir} ${paths}, and run commands as the gate's user`,
      ),
    ];
  }
  if (folder.uid === process.geteuid?.()) return [];
  return [
    hint(
      `${dataDir} belongs to user ${folder.uid}, and this runs as ${me()}`,
      `run this, and all other commands, as the gate's user: ${asUser(folder.uid)}`,
    ),
  ];
}

function modeFindings(dataDir: string, folder: Stats, files: readonly Entry[]): readonly Finding[] {
  const open = (folder.mode & OPEN) !== 0;
  const readable = files.filter(({ stats }) => (stats.mode & READABLE_BY_OTHERS) !== 0);
  if (readable.length > 0 && (folder.mode & ENTERED_BY_OTHERS) !== 0) {
    const paths = readable.map(({ path }) => path).join(" ");
    return [
      problem(
        `everybody on this machine can read ${paths}`,
        `chmod 600 ${paths} && chmod 700 ${dataDir}`,
      ),
    ];
  }
  if (!open) return [];
  const mode = (folder.mode & 0o777).toString(8);
  return [hint(`${dataDir} is open to others: its mode is ${mode}`, `chmod 700 ${dataDir}`)];
}

/** In a container, the user often has only a number, and no name. */
function me(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.geteuid?.());
  }
}
