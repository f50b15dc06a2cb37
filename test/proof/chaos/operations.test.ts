import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

test("chaos refuses an unknown operation with the known ones", () => {
  const args = ["proof/chaos/main.ts", "nth-step", "--operation", "other"];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stderr, /unknown operation other; the operations are the first account, .*order/);
});
