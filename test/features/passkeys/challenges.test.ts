import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserId } from "../../../src/db/records.ts";
import { createChallenges } from "../../../src/features/passkeys/challenges.ts";
import { createSessionTokens } from "../../../src/identity/session-token.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const ADD = { addTo: "1" as UserId };
const OTHER = { addTo: "2" as UserId };

const LATER = { ...ADD, sessionsFrom: 5 };

test("accepts its challenges for five minutes, each with its own nonce", () => {
  const clock = fakeClock();
  const challenges = createChallenges(["secret"], clock);
  const challenge = challenges.issue("sign-in");
  const verified = challenges.verify(challenge, "sign-in");
  assert.equal(verified?.expiresAt.getTime(), clock.now() + 300_000);
  assert.equal(Buffer.from(verified.id, "base64url").length, 16);
  const other = challenges.verify(challenges.issue("sign-in"), "sign-in");
  assert.notEqual(other?.id, verified.id);
  clock.advance(299_999);
  assert.deepEqual(challenges.verify(challenge, "sign-in"), verified);
  clock.advance(1);
  assert.equal(challenges.verify(challenge, "sign-in"), undefined);
});

test("refuses a challenge for another purpose or user", () => {
  const challenges = createChallenges(["secret"], fakeClock());
  for (const [issued, used] of [
    ["sign-in", ADD],
    [ADD, "sign-in"],
    [ADD, OTHER],
    [ADD, LATER],
    [LATER, ADD],
  ] as const) {
    assert.equal(challenges.verify(challenges.issue(issued), used), undefined);
    assert.ok(challenges.verify(challenges.issue(issued), issued));
  }
});

test("refuses a challenge with any byte changed, and any other text", () => {
  const challenges = createChallenges(["secret"], fakeClock());
  const bytes = Buffer.from(challenges.issue("sign-in"), "base64url");
  for (const at of bytes.keys()) {
    const forged = Buffer.from(bytes);
    forged.writeUInt8(forged.readUInt8(at) ^ 1, at);
    assert.equal(challenges.verify(forged.toString("base64url"), "sign-in"), undefined, `${at}`);
  }
  for (const text of ["", "a", bytes.subarray(1).toString("base64url"), "A".repeat(72)]) {
    assert.equal(challenges.verify(text, "sign-in"), undefined);
  }
});

test("accepts no session token for a challenge, nor a challenge for a session", () => {
  const clock = fakeClock();
  const tokens = createSessionTokens("secret", clock);
  const challenges = createChallenges(["secret"], clock);
  const session = Buffer.from(tokens.issue("1" as UserId).text).toString("base64url");
  assert.equal(challenges.verify(session, "sign-in"), undefined);
  const challenge = Buffer.from(challenges.issue("sign-in"), "base64url").toString();
  assert.equal(tokens.verify(challenge), "forged");
});

test("accepts challenges of a previous secret, and of no other", () => {
  const clock = fakeClock();
  const challenge = createChallenges(["old"], clock).issue("sign-in");
  assert.ok(createChallenges(["new", "older", "old"], clock).verify(challenge, "sign-in"));
  assert.equal(createChallenges(["new"], clock).verify(challenge, "sign-in"), undefined);
});
