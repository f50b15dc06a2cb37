import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const MAIN = fileURLToPath(new URL("../../proof/simulation/main.ts", import.meta.url));

/** In a process of its own, since the simulation replaces the timers. */
async function simulate(...options: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...options]);
  return stdout;
}

test("keeps every promise in a hundred simulations", async () => {
  assert.match(
    await simulate("--seeds", "100"),
    /^100 seeds, \d+ steps in .* every promise was kept$/m,
  );
});

test("finds each error that is put back, with a seed that finds it again", async () => {
  const found = (await simulate("--seeds", "40", "--mistakes")).trim().split("\n");
  assert.ok(found.length >= 7);
  for (const line of found) assert.match(line, /: seed \d+, [^(]+$/);
});
