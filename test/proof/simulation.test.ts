import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { shrink } from "../../proof/simulation/shrink.ts";

const MAIN = fileURLToPath(new URL("../../proof/simulation/main.ts", import.meta.url));

/** In a process of its own, since the simulation replaces the timers. */
async function simulate(...options: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...options]);
  return stdout;
}

suite("the simulation", { concurrency: true }, () => {
  test("keeps every promise with two hundred seeds", async () => {
    const said = await simulate("--seeds", "200");
    assert.match(said, /^200 seeds, \d{5} steps in .* every promise was kept$/m);
  });

  test("shrinks a failing seed to the events without which it does not fail", async () => {
    const events = Array.from({ length: 100 }, (_, index) => index);
    const needed = [3, 50, 51, 99];
    const rest = await shrink(events, async (left) => needed.every((one) => left.includes(one)));
    assert.deepEqual(rest, needed);
  });
});
