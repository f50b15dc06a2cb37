import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { startNode } from "../support/process.ts";

const LACKING = fileURLToPath(new URL("./lacking-program.ts", import.meta.url));
const ONE_LINE = "latchkey-has-no-such-proxy is not installed: its tests were skipped";

test("a missing proxy is reported, and fails in continuous integration", async (t) => {
  for (const [CI, result, expected] of [
    ["", "ok", 0],
    ["true", "not ok", 1],
  ] as const) {
    const args = ["--test", "--test-reporter=tap", LACKING];
    const { code, stdout } = await startNode(t, args, { CI }).ended;
    assert.equal(code, expected, stdout);
    assert.match(stdout, new RegExp(`^${result} 1 - ${ONE_LINE}$`, "m"));
  }
});
