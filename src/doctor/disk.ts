import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { isMissing } from "../core/file-error.ts";
import type { Check } from "./check.ts";
import { type Finding, hint, orOk, problem } from "./finding.ts";

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

export const diskCheck: Check = {
  name: "disk",
  settings: ["DATA_DIR", "DATABASE_URL"],

  async look({ settings: { dataDir, databaseUrl } }) {
    const disk = await diskOf(dataDir);
    const holds = databaseUrl === undefined ? "database" : "no-database";
    return orOk(diskFindings(dataDir, disk, holds), `${roomOf(disk)} are free at ${dataDir}`);
  },
};

export interface Disk {
  readonly freeBytes: number;
  readonly type: number;
}

/** A folder that does not exist yet will be on the disk of its parent. */
async function diskOf(path: string): Promise<Disk> {
  try {
    const { bavail, bsize, type } = await statfs(path);
    return { freeBytes: bavail * bsize, type: type >>> 0 };
  } catch (error) {
    if (!isMissing(error) || dirname(path) === path) throw error;
    return diskOf(dirname(path));
  }
}

function roomOf(disk: Disk): string {
  const free = mebibytes(disk);
  return free < 10_240 ? `${free} MiB` : `${Math.floor(free / 1_024)} GiB`;
}

const mebibytes = ({ freeBytes }: Disk): number => Math.floor(freeBytes / MEBIBYTE);

/** Exported for its tests, which cannot use full disks and network file systems. */
export function diskFindings(
  dataDir: string,
  disk: Disk,
  holds: "database" | "no-database",
): readonly Finding[] {
  const findings: Finding[] = [];
  const free = mebibytes(disk);
  if (free < SCARCE_MIB) {
    const found = `${free} MiB are free at ${dataDir}`;
    const remedy = "make room, or set LOG_RETENTION, so that old log entries are removed";
    findings.push(free < FULL_MIB ? problem(found, remedy) : hint(found, remedy));
  }
  const network = NETWORK_FILE_SYSTEMS.get(disk.type);
  if (network !== undefined && holds === "database") {
    findings.push(
      hint(
        `${dataDir} lies on a network file system (${network}), where SQLite can lose data`,
        "set DATA_DIR to a folder on a disk of this machine, or DATABASE_URL to a PostgreSQL",
      ),
    );
  }
  return findings;
}
