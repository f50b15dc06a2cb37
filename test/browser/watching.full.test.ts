import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { startNode } from "../support/process.ts";

const NOISY = fileURLToPath(new URL("./noisy-pages.ts", import.meta.url));

test("a test fails if its page reports an error", async (t) => {
  const args = ["--test", "--test-reporter=tap", NOISY];
  const { stdout } = await startNode(t, args, {}).ended;
  const results = [...stdout.matchAll(/^(ok|not ok) \d+ - (.*)$/gm)];
  assert.deepEqual(Object.fromEntries(results.map(([, result, name]) => [name, result])), {
    quiet: "ok",
    "expected status": "ok",
    "unexpected status": "not ok",
    console: "not ok",
    thrown: "not ok",
    "not loaded": "not ok",
    forbidden: "not ok",
  });
});
