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

test("finds each error that is put back, and fails with the seed", async () => {
  const found = (await simulate("--seeds", "60", "--mistakes")).trim().split("\n");
  assert.ok(found.length >= 5);
  for (const line of found) assert.match(line, /: seed \d+, /);
});

test("makes the same simulation from the same seed", async () => {
  const [one, other] = await Promise.all([simulate("--seed", "5"), simulate("--seed", "5")]);
  assert.ok(one.split("\n").length > 100);
  assert.equal(one, other);
});
