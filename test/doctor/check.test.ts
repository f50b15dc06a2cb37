import assert from "node:assert/strict";
import { test } from "node:test";
import { type Check, examine } from "../../src/doctor/check.ts";
import { ok, worst } from "../../src/doctor/finding.ts";
import { installation } from "./installation.ts";

const check = (name: string, look: Check["look"]): Check => ({ name, settings: [], look });

test("a check that fails or hangs does not affect the findings of others or their order", async () => {
  const checks = [
    check("hangs", () => new Promise(() => {})),
    check("fails", async () => {
      throw new Error("no such device");
    }),
    check("works", async () => [ok("one"), ok("two")]),
    check("silent", async () => []),
  ];
  const found = await examine(checks, installation({}), 20);
  assert.deepEqual(
    found.map((one) => [one.check, one.outcome, one.found]),
    [
      ["hangs", "problem", "is not done after 0.02 seconds"],
      ["fails", "problem", "cannot be looked at: no such device"],
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
  const [found] = await examine(checks, installation({}), 60_000);
  assert.equal(found?.found, "met");
});

for (const [outcomes, expected] of [
  [[], "ok"],
  [["ok", "ok"], "ok"],
  [["ok", "hint"], "hint"],
  [["problem", "hint", "ok"], "problem"],
] as const) {
  test(`returns ${expected} as the worst of ${outcomes.join(", ") || "no outcomes"}`, () => {
    assert.equal(worst(outcomes), expected);
  });
}
