import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { testStore } from "../../src/testing/index.ts";
import { startNode } from "../support/process.ts";
import { flaws, memoryStore } from "./memory-store.ts";

testStore("a store in memory, with users and a log alone", async () => {
  const store = memoryStore();
  return { connect: async () => store };
});

test("detects each store with a flaw", async (t) => {
  const script = join(import.meta.dirname, "flawed-store.ts");
  const { code, stdout } = await startNode(t, ["--test-reporter=tap", script], {}).ended;
  const failed = [...stdout.matchAll(/^not ok \d+ - (.*)$/gm)].map(([, name]) => name);
  assert.equal(code, 1);
  for (const [rule, flaw] of Object.entries(flaws)) {
    assert.ok(failed.includes(`${flaw}: ${rule}`), failed.join());
  }
});
