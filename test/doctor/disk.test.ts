import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { checkDisk, diskFindings } from "../../src/doctor/disk.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertFound, findings } from "./installation.ts";

const EXT4 = 0xef53;
const NFS = 0x6969;

test("reports the free space of both disks for a database in another folder, also before it exists", async (t) => {
  const [DATA_DIR, folder] = [await tempDir(t), join(await tempDir(t), "not/there/yet")];
  const env = { DATA_DIR, DATABASE_URL: `sqlite:${folder}/accounts.db` };
  const found = await findings(checkDisk, { env });
  const places = found.map((one) => /^(?:only )?\d+ [MG]iB free at (\S+)$/.exec(one.found)?.[1]);
  assert.deepEqual(places, [DATA_DIR, folder]);
});

for (const [freeMib, kind, about] of [
  [9, "problem", /^only 9 MiB free/],
  [99, "hint", /^only 99 MiB free/],
  [100, "ok", /^100 MiB free/],
] as const) {
  test(`reports ${kind} with ${freeMib} MiB free`, () => {
    const found = diskFindings("/data", { freeMib, type: EXT4 }, "database");
    assertFound(found, [kind, about, /LOG_RETENTION/]);
  });
}

test("gives a hint for an SQLite database on NFS, and none without a database there", () => {
  const disk = { freeMib: 1_000, type: NFS };
  const network = /network file system \(NFS\)/;
  assertFound(diskFindings("/data", disk, "database"), ["hint", network, /DATABASE_URL/]);
  assertFound(diskFindings("/data", disk, "no-database"), ["ok", /free/]);
});
