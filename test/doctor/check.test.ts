import assert from "node:assert/strict";
import { test } from "node:test";
import { type Check, ok, runChecks } from "../../src/doctor/check.ts";
import { installation } from "./installation.ts";

const check = (name: string, run: Check["run"]): Check => ({ name, settings: [], run });

test("a check that fails or hangs does not affect the findings of others or their order", async () => {
  const checks = [
    check("hangs", () => new Promise(() => {})),
    check("fails", async () => {
      throw new Error("no such device");
    }),
    check("works", async () => [ok("one"), ok("two")]),
    check("silent", async () => []),
  ];
  const found = await runChecks(checks, installation({}), 20);
  assert.deepEqual(
    found.map((one) => [one.check, one.outcome, one.found]),
    [
      ["hangs", "problem", "the check did not finish within 0.02 seconds"],
      ["fails", "problem", "the check failed: no such device"],
      ["works", "ok", "one"],
      ["works", "ok", "two"],
    ],
  );
});

test("runs all checks concurrently", async () => {
  const meeting = Promise.withResolvers<void>();
  const checks = [
    check("waits", async () => {
      await meeting.promise;
      return [ok("met")];
    }),
    check("comes", async () => {
      meeting.resolve();
      return [];
    }),
  ];
  const [found] = await runChecks(checks, installation({}), 60_000);
  assert.equal(found?.found, "met");
});
