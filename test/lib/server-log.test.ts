import assert from "node:assert/strict";
import { test } from "node:test";
import { createSafeLog } from "../../src/lib/server-log.ts";
import { strayFaults } from "../support/faults.ts";

test("passes lines on, and drops what the log throws now or later", async (t) => {
  const faults = strayFaults(t);
  const lines: unknown[] = [];
  const log = createSafeLog({
    warn(...line) {
      lines.push(line);
      throw undefined;
    },
    async error(...line) {
      lines.push(line);
      throw new Error("the disk is full");
    },
  });
  log.warn({ a: 1 }, "one");
  log.error({ b: 2 }, "two");
  assert.deepEqual(lines, [
    [{ a: 1 }, "one"],
    [{ b: 2 }, "two"],
  ]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(faults, []);
});
