import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { runSimulation } from "../../proof/simulation/command.ts";
import { shrink } from "../../proof/simulation/shrink.ts";

suite("the simulation", { concurrency: true }, () => {
  test("keeps every promise with two hundred seeds", async () => {
    const said = await runSimulation("--seeds", "200");
    assert.match(said.join("\n"), /^200 seeds, \d{5} steps in .* every promise was kept$/m);
  });

  test("shrinks a failing seed to the events without which it does not fail", async () => {
    const events = Array.from({ length: 100 }, (_, index) => index);
    const needed = [3, 50, 51, 99];
    const rest = await shrink(events, async (left) => needed.every((one) => left.includes(one)));
    assert.deepEqual(rest, needed);
  });
});
