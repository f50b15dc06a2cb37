import { statfs } from "node:fs/promises";
import { type Finding, type Findings, hint, orOk, problem } from "./check.ts";
import { nearestExisting } from "./data-folder.ts";
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
  const { dataDir, databaseUrl } = settings;
  const { path } = await nearestExisting(dataDir);
  const { bavail, bsize, type } = await statfs(path);
  const freeMib = Math.floor((bavail * bsize) / MEBIBYTE);
  const holds = databaseUrl === undefined ? "database" : "no-database";
  const free = freeMib < 10_240 ? `${freeMib} MiB` : `${Math.floor(freeMib / 1_024)} GiB`;
  return orOk(
    diskFindings(dataDir, { freeMib, type: type >>> 0 }, holds),
    `${free} free at ${dataDir}`,
  );
}

interface Disk {
  readonly freeMib: number;
  readonly type: number;
}

/** Exported for its tests, which cannot use full disks and network file systems. */
export function diskFindings(
  dataDir: string,
  { freeMib, type }: Disk,
  holds: "database" | "no-database",
): readonly Finding[] {
  const findings: Finding[] = [];
  if (freeMib < SCARCE_MIB) {
    const weigh = freeMib < FULL_MIB ? problem : hint;
    const remedy = "free some space, or set LOG_RETENTION to remove old log entries";
    findings.push(weigh(`only ${freeMib} MiB free at ${dataDir}`, remedy));
  }
  const network = NETWORK_FILE_SYSTEMS.get(type);
  if (network !== undefined && holds === "database") {
    findings.push(
      hint(
        `${dataDir} is on a network file system (${network}), where SQLite can lose data`,
        "set DATA_DIR to a folder on a local disk, or DATABASE_URL to a PostgreSQL database",
      ),
    );
  }
  return findings;
}
