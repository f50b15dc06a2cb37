import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const MAIN = fileURLToPath(new URL("../../proof/simulation/main.ts", import.meta.url));

test("finds each error that is put back, with a seed that finds it again", async () => {
  const args = [MAIN, "--seeds", "400", "--mistakes"];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const found = stdout.trim().split("\n");
  assert.equal(found.length, 17);
  for (const line of found) assert.match(line, /: seed \d+, [^(]+$/);
});
