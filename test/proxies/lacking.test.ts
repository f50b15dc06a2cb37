import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Ending, startNode } from "../support/process.ts";

const LACKING = fileURLToPath(new URL("./lacking-program.ts", import.meta.url));
const ONE_LINE = "latchkey-has-no-such-proxy is not installed: its tests were skipped";

const runIt = (t: TestContext, env: Readonly<Record<string, string>>): Promise<Ending> =>
  startNode(t, ["--test", "--test-reporter=tap", LACKING], env).ended;

test("a missing proxy is reported by a test that passes", async (t) => {
  for (const env of [{}, { CI: "" }]) {
    const { code, stdout } = await runIt(t, env);
    assert.equal(code, 0, stdout);
    assert.match(stdout, new RegExp(`^ok 1 - ${ONE_LINE}$`, "m"));
  }
});

test("a missing proxy is reported by a test that fails in continuous integration", async (t) => {
  const { code, stdout } = await runIt(t, { CI: "true" });
  assert.equal(code, 1, stdout);
  assert.match(stdout, new RegExp(`^not ok 1 - ${ONE_LINE}$`, "m"));
});
