import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { hasHit, pointsIn } from "../../../proof/chaos/nth-step/strace.ts";
import { tempDir } from "../../support/temp-dir.ts";

async function logOf(t: TestContext, ...lines: readonly string[]): Promise<string> {
  const log = join(await tempDir(t), "log");
  await writeFile(log, `${lines.join("\n")}\n`);
  return log;
}

test("a step is the n-th call of its kind in its thread, if it reaches the folder", async (t) => {
  const log = await logOf(
    t,
    '11<libuv-worker> write(20<anon_inode:[eventfd]>, "\\1"..., 8) = 8',
    '11<libuv-worker> write(21</data/certificate.pem>, "-----B"..., 90) = 90',
    "10<node-MainThread> fsync(22</data/latchkey.db-wal>) = 0",
    '10<node-MainThread> pwrite64(23</data/latchkey.db-shm>, "\\0"..., 24, 0) = 24',
    '10<node-MainThread> write(1<pipe:[7]>, "{}"..., 2) = 2',
    '11<libuv-worker> rename("/data/a.partial", "/data/a") = 0',
  );
  const found = pointsIn(log, "/data").map(({ thread, call, n, fate }) =>
    [thread, call, n, fate].join(" "),
  );
  assert.deepEqual(found, [
    "libuv-worker write 2 fails",
    "libuv-worker write 2 killed",
    "node-MainThread fsync 1 fails",
    "node-MainThread fsync 1 killed",
    "libuv-worker rename 1 fails",
    "libuv-worker rename 1 killed",
  ]);
});

test("a failure or a kill counts only at a call that reaches the folder", async (t) => {
  const inFolder = [
    'write(21</data/a>, "a"..., 1) = -1 ENOSPC (No space left on device) (INJECTED)',
    "fsync(21</data/a>) = ?",
    "fsync(21</data/a> <unfinished ...>",
  ];
  const elsewhere = [
    'write(20<anon_inode:[eventfd]>, "\\1"..., 8) = -1 ENOSPC (No space left on device) (INJECTED)',
    "write(20<anon_inode:[eventfd]> <unfinished ...>",
    "fsync(21</data/a>) = 0",
  ];
  for (const line of inFolder) assert.ok(hasHit(await logOf(t, line), "/data"), line);
  for (const line of elsewhere) assert.ok(!hasHit(await logOf(t, line), "/data"), line);
});
