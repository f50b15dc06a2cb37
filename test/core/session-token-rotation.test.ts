import assert from "node:assert/strict";
import { test } from "node:test";
import { createSessionTokens } from "../../src/core/session-token.ts";
import type { UserId } from "../../src/core/store.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { userIdIn } from "../support/mint.ts";

const OWNER = "owner" as UserId;
const [FIRST, SECOND, THIRD] = ["first", "second", "third"].map((name) => name.repeat(8)) as [
  string,
  string,
  string,
];

test("accepts a session signed with a previous secret until it expires", () => {
  const clock = fakeClock();
  const old = createSessionTokens(FIRST, clock).issue(OWNER);
  const tokens = createSessionTokens(THIRD, clock, [SECOND, FIRST]);
  assert.equal(userIdIn(tokens, old), OWNER);
  clock.advance(30 * 86_400_000);
  assert.equal(tokens.verify(old), undefined);
});

test("signs new sessions with the new secret only", () => {
  const clock = fakeClock();
  const issued = createSessionTokens(SECOND, clock, [FIRST]).issue(OWNER);
  assert.equal(createSessionTokens(FIRST, clock).verify(issued), "forged");
  assert.equal(userIdIn(createSessionTokens(SECOND, clock), issued), OWNER);
});

test("rejects tokens of a secret that is no longer listed", () => {
  const clock = fakeClock();
  const old = createSessionTokens(FIRST, clock).issue(OWNER);
  assert.equal(createSessionTokens(SECOND, clock, [THIRD]).verify(old), "forged");
});
