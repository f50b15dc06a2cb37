import { join } from "node:path";
import { test } from "node:test";
import { diskCheck, diskFindings } from "../../src/doctor/disk.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertFound, findings } from "./installation.ts";

const MEBIBYTE = 1024 * 1024;
const EXT4 = 0xef53;

test("reports the free space of the disk, also for a missing folder", async (t) => {
  const dataDir = await tempDir(t);
  for (const DATA_DIR of [dataDir, join(dataDir, "not/there/yet")]) {
    const [finding] = await findings(diskCheck, { env: { DATA_DIR } });
    assertFound(finding === undefined ? [] : [finding], [
      finding?.kind ?? "ok",
      new RegExp(`^\\d+ [MG]iB are free at ${DATA_DIR}$`),
    ]);
  }
});

for (const [mebibytes, kind] of [
  [9.9, "problem"],
  [10, "hint"],
  [99.9, "hint"],
] as const) {
  test(`reports ${kind} with ${mebibytes} MiB free`, () => {
    const disk = { freeBytes: mebibytes * MEBIBYTE, type: EXT4 };
    assertFound(diskFindings("/data", disk, "database"), [kind, /MiB are free/, /LOG_RETENTION/]);
  });
}

test("accepts 100 MiB of free space", () => {
  assertFound(diskFindings("/data", { freeBytes: 100 * MEBIBYTE, type: EXT4 }, "database"));
});

for (const [name, type] of [
  ["NFS", 0x6969],
  ["CIFS", 0xff534d42],
  ["SMB", 0xfe534d42],
  ["FUSE", 0x65735546],
  ["9p", 0x01021997],
] as const) {
  test(`gives a hint for an SQLite database on ${name}, and none without a database there`, () => {
    const disk = { freeBytes: 1_000 * MEBIBYTE, type };
    const about = new RegExp(`network file system \\(${name}\\)`);
    assertFound(diskFindings("/data", disk, "database"), ["hint", about, /DATABASE_URL/]);
    assertFound(diskFindings("/data", disk, "no-database"));
  });
}
