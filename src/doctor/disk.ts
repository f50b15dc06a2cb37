import { statfs } from "node:fs/promises";
import { type Finding, type Findings, hint, orOk, problem } from "./check.ts";
import { databaseFolderOf, nearestExisting } from "./data-folder.ts";
import type { Installation } from "./installation.ts";

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

export async function checkDisk({ settings }: Installation): Promise<Findings> {
  const databaseFolder = databaseFolderOf(settings);
  const folders = new Set([settings.dataDir, databaseFolder ?? settings.dataDir]);
  const findings = [...folders].map((folder) =>
    checkFolder(folder, folder === databaseFolder ? "database" : "no-database"),
  );
  return (await Promise.all(findings)).flat();
}

async function checkFolder(folder: string, holds: Holds): Promise<readonly Finding[]> {
  const { path } = await nearestExisting(folder);
  const { bavail, bsize, type } = await statfs(path);
  const freeMib = Math.floor((bavail * bsize) / MEBIBYTE);
  const free = freeMib < 10_240 ? `${freeMib} MiB` : `${Math.floor(freeMib / 1_024)} GiB`;
  return orOk(
    diskFindings(folder, { freeMib, type: type >>> 0 }, holds),
    `${free} free at ${folder}`,
  );
}

interface Disk {
  readonly freeMib: number;
  readonly type: number;
}

type Holds = "database" | "no-database";

/** Exported for its tests, which cannot use full disks and network file systems. */
export function diskFindings(
  folder: string,
  { freeMib, type }: Disk,
  holds: Holds,
): readonly Finding[] {
  const findings: Finding[] = [];
  if (freeMib < SCARCE_MIB) {
    const weigh = freeMib < FULL_MIB ? problem : hint;
    const remedy = "free some space, or set LOG_RETENTION to remove old log entries";
    findings.push(weigh(`only ${freeMib} MiB free at ${folder}`, remedy));
  }
  const network = NETWORK_FILE_SYSTEMS.get(type);
  if (network !== undefined && holds === "database") {
    findings.push(
      hint(
        `${folder} is on a network file system (${network}), where SQLite can lose data`,
        "move the database to a local disk, or to PostgreSQL (DATABASE_URL)",
      ),
    );
  }
  return findings;
}
