import assert from "node:assert/strict";
import { test } from "node:test";
import { runSimulation } from "../../proof/simulation/command.ts";

test("finds each error that is put back, with a seed that finds it again", async () => {
  const found = await runSimulation("--seeds", "1000", "--mistakes");
  assert.equal(found.length, 35);
  for (const line of found) assert.match(line, /: seed \d+, [^(]+$/);
});
