import assert from "node:assert/strict";
import { cp, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { mountSmallDisk } from "../../proof/chaos/mounts.ts";
import { getErrorCode } from "../../src/lib/fault.ts";
import { failureOf, runCommand } from "../support/command.ts";
import { abandoned, contentOf, filled } from "./transfer/backup-place.ts";

/** Fills the disk, as root too. */
async function fill(folder: string): Promise<void> {
  await using file = await open(join(folder, "fill"), "w");
  const block = Buffer.alloc(4_096);
  try {
    for (;;) await file.write(block);
  } catch (error) {
    assert.equal(getErrorCode(error), "ENOSPC");
  }
}

for (const [what, suffixes] of [
  ["a closed database", [""]],
  ["the write-ahead log of a killed gate", ["", "-wal"]],
] as const) {
  test(`reads and backs up ${what} on a full disk`, async (t) => {
    const disk = await mountSmallDisk(1_000_000);
    if (disk === undefined) return t.skip("mounting is not allowed here");
    t.after(() => disk.remove());
    const place =
      suffixes.length === 1 ? await filled(t, ["owner"], 1) : await abandoned(t, "owner", "later");
    const { database, backup, env } = place;
    const copied = join(disk.path, "latchkey.db");
    for (const suffix of suffixes) await cp(`${database}${suffix}`, `${copied}${suffix}`);
    await fill(disk.path);
    const names = suffixes.length === 1 ? ["owner"] : ["later", "owner"];
    const full = { ...env, DATABASE_URL: `sqlite:${copied}` };
    // Twice: the first attempt to open leaves files beside the database.
    for (const force of [[], ["--force"]]) {
      for (const args of [
        ["user", "list"],
        ["log"],
        ["session", "list"],
        ["export"],
        ["backup", ...force, backup],
      ]) {
        const { code, stderr } = await runCommand(args, { env: full });
        assert.deepEqual([code, stderr], [0, ""], args.join(" "));
      }
      assert.deepEqual((await contentOf(backup)).usernames, names);
      const { stdout } = await runCommand(["doctor"], { env: full });
      assert.match(stdout, /latchkey\.db is intact/);
    }
    if (suffixes.length === 1) {
      const refusal = await failureOf(["user", "sign-out", "owner"], { env: full });
      assert.match(refusal, /^cannot write beside \S+: no space left on device$/);
    }
    assert.ok((await readdir(disk.path)).includes("latchkey.db"));
  });
}
