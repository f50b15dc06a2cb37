import assert from "node:assert/strict";
import { test } from "node:test";
import { parseUsed } from "../../../proof/bench/machine.ts";

test("counts the time of all processes and of the hypervisor, and not the idle time", () => {
  const stat = "cpu  100 20 30 9999 8888 4 5 6 70 80\ncpu0 1 1 1 1 1 1 1 1 0 0\n";
  assert.equal(parseUsed(stat), (100 + 20 + 30 + 4 + 5 + 6) * 10_000);
});
