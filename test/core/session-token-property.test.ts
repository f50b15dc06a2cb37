import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createSessionTokens } from "../../src/core/session-token.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { SECRET } from "../support/gate.ts";
import { mint, userIdIn } from "../support/mint.ts";

const GENUINE = mint({ user_id: "user-1", exp: Math.floor(fakeClock().now() / 1_000) + 3_600 });
const tokens = createSessionTokens(SECRET, fakeClock());

test("rejects a genuine token with one character changed, added or removed", () => {
  const change = fc.record({
    at: fc.nat(GENUINE.length - 1),
    leaveOut: fc.constantFrom(0, 1),
    putIn: fc.oneof(
      fc.constantFrom("", "A", "z", "0", "-", "_", ".", "\t", "+", "/", "=", " ", "\n", "\0", "é"),
      fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 1 }),
    ),
  });
  fc.assert(
    fc.property(change, ({ at, leaveOut, putIn }) => {
      const changed = `${GENUINE.slice(0, at)}${putIn}${GENUINE.slice(at + leaveOut)}`;
      fc.pre(changed !== GENUINE);
      assert.equal(userIdIn(tokens, changed), undefined, JSON.stringify(changed));
    }),
    { numRuns: 2_000 },
  );
});

test("accepts only one last character of the signature, although others decode to the same bytes", () => {
  // 32 bytes are 43 characters, and the last of them holds two bits that no byte needs.
  const lasts = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const accepted: string[] = [];
  for (const last of lasts) {
    const changed = `${GENUINE.slice(0, -1)}${last}`;
    if (userIdIn(tokens, changed) !== undefined) accepted.push(last);
  }
  assert.deepEqual(accepted, [GENUINE.at(-1)]);
});
