import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { checkDisk, diskFindings } from "../../src/doctor/disk.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertFound, findings } from "./installation.ts";

const EXT4 = 0xef53;

test("reports the free space of the disk, also for a missing folder", async (t) => {
  const dataDir = await tempDir(t);
  for (const DATA_DIR of [dataDir, join(dataDir, "not/there/yet")]) {
    const [finding] = await findings(checkDisk, { env: { DATA_DIR } });
    assertFound(finding === undefined ? [] : [finding], [
      finding?.outcome ?? "ok",
      new RegExp(`^\\d+ [MG]iB free at ${DATA_DIR}$`),
    ]);
  }
});

test("reports the free space of both disks for a database in another folder", async (t) => {
  const [DATA_DIR, folder] = [await tempDir(t), await tempDir(t)];
  const env = { DATA_DIR, DATABASE_URL: `sqlite:${folder}/accounts.db` };
  const found = await findings(checkDisk, { env });
  assert.deepEqual(
    found.map(({ found: text }) => / at (\S+)$/.exec(text)?.[1]),
    [DATA_DIR, folder],
  );
});

for (const [freeMib, kind] of [
  [9, "problem"],
  [10, "hint"],
  [99, "hint"],
] as const) {
  test(`reports ${kind} with ${freeMib} MiB free`, () => {
    const disk = { freeMib, type: EXT4 };
    assertFound(diskFindings("/data", disk, "database"), [
      kind,
      /only \d+ MiB free/,
      /LOG_RETENTION/,
    ]);
  });
}

test("accepts 100 MiB of free space", () => {
  assertFound(diskFindings("/data", { freeMib: 100, type: EXT4 }, "database"));
});

for (const [name, type] of [
  ["NFS", 0x6969],
  ["SMB", 0xfe534d42],
] as const) {
  test(`gives a hint for an SQLite database on ${name}, and none without a database there`, () => {
    const disk = { freeMib: 1_000, type };
    const about = new RegExp(`network file system \\(${name}\\)`);
    assertFound(diskFindings("/data", disk, "database"), ["hint", about, /DATABASE_URL/]);
    assertFound(diskFindings("/data", disk, "no-database"));
  });
}
