import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { type Check, checkOf, type Finding, hint, orOk, problem } from "./check.ts";
import { nearestExisting } from "./data-folder.ts";

const MEBIBYTE = 1024 * 1024;
const SCARCE_MIB = 100;
const FULL_MIB = 10;

/** File systems whose locks are unreliable for SQLite, or that lack shared memory. */
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

export const checkDisk: Check = checkOf("disk", ["dataDir", "database"], async ({ settings }) => {
  const { dataDir, database } = settings;
  const databaseFolder = database.kind === "sqlite" ? dirname(database.file) : undefined;
  const findings = [...new Set([dataDir, databaseFolder ?? dataDir])].map(async (folder) => {
    const { path } = await nearestExisting(folder);
    const { bavail, bsize, type } = await statfs(path);
    const disk = { freeMib: Math.floor((bavail * bsize) / MEBIBYTE), type: type >>> 0 };
    return diskFindings(folder, disk, folder === databaseFolder ? "database" : "no-database");
  });
  return (await Promise.all(findings)).flat();
});

/** Exported for its tests, which cannot use full disks and network file systems. */
export function diskFindings(
  folder: string,
  { freeMib, type }: { readonly freeMib: number; readonly type: number },
  holds: "database" | "no-database",
): readonly Finding[] {
  const scarce = (freeMib < FULL_MIB ? problem : hint)(
    `only ${freeMib} MiB free at ${folder}`,
    "free some space, or set LOG_RETENTION to remove old log entries",
  );
  const network = NETWORK_FILE_SYSTEMS.get(type);
  const unreliable = hint(
    `${folder} is on a network file system (${network}), where SQLite can lose data`,
    "move the database to a local disk, or to PostgreSQL (DATABASE_URL)",
  );
  const free = freeMib < 10_240 ? `${freeMib} MiB` : `${Math.floor(freeMib / 1_024)} GiB`;
  return orOk(
    [
      freeMib < SCARCE_MIB ? scarce : undefined,
      network !== undefined && holds === "database" ? unreliable : undefined,
    ],
    `${free} free at ${folder}`,
  );
}
