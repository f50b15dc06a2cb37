import assert from "node:assert/strict";
import type { Rule, With } from "./database.ts";

const RULE = { attempts: 5, windowMs: 60_000, maxTracked: 2 };

/** The rate limit that all instances share. */
export function testAttempts(rule: Rule<With<"attempts">>): void {
  rule("allows five of eight attempts at once, of each address", async (store, { race }) => {
    const answers = await race((one) => one.attempts.record("192.0.2.1", RULE));
    assert.equal(answers.filter((one) => one === "allowed").length, RULE.attempts);
    assert.equal(await store.attempts.record("192.0.2.2", RULE), "allowed");
  });

  rule("denies every address of a kind once too many are tracked", async ({ attempts }) => {
    for (const last of [1, 2, 3])
      assert.equal(await attempts.record(`192.0.2.${last}`, RULE), "allowed");
    assert.equal(await attempts.record("192.0.2.4", RULE), "denied");
    assert.equal(await attempts.record("passkey 192.0.2.4", RULE), "allowed");
  });

  rule("forgets addresses without an attempt in the window", async ({ attempts }) => {
    const short = { ...RULE, attempts: 1, windowMs: 1 };
    assert.equal(await attempts.record("192.0.2.1", RULE), "allowed");
    await attempts.forget(RULE);
    assert.equal(await attempts.record("192.0.2.1", { ...RULE, attempts: 1 }), "denied");
    while ((await attempts.record("192.0.2.1", short)) === "denied");
  });
}
