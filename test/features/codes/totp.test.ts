import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Secret, TOTP } from "otpauth";
import {
  computeCode,
  createCodeSecret,
  encodeBase32,
  findStep,
  getStep,
} from "../../../src/features/codes/totp.ts";

/** The secret of the test vectors of RFC 6238 for SHA-1. */
const SECRET = Buffer.from("12345678901234567890");
const NOW = 1_111_111_109_000;
const STEP_MS = 30_000;

/** The vectors have eight digits; six digits are the last six of them. */
for (const [seconds, code] of [
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
] as const) {
  test(`makes the code of RFC 6238 for the second ${seconds}`, () => {
    assert.equal(computeCode(SECRET, getStep(seconds * 1_000)), code.slice(-6));
  });
}

test("accepts no code of a step that is used up", () => {
  const step = getStep(NOW);
  for (const [last, drift, accepted] of [
    [step, 0, undefined],
    [step, -1, undefined],
    [step, 1, step + 1],
    [step - 1, 0, step],
  ] as const) {
    assert.equal(findStep(SECRET, computeCode(SECRET, step + drift), NOW, last), accepted);
  }
});

test("makes a new secret of 160 bits each time", () => {
  const secrets = [createCodeSecret(), createCodeSecret()].map(encodeBase32);
  assert.notEqual(secrets[0], secrets[1]);
  for (const secret of secrets) assert.match(secret, /^[A-Z2-7]{32}$/);
});

test("another implementation makes and accepts the same codes", () => {
  const entered = fc.oneof(
    fc.record({ drift: fc.integer({ min: -3, max: 3 }), add: fc.constantFrom(0, 0, 1, 100_000) }),
    fc.string({ unit: fc.constantFrom(..."0123456789 -+.e１é"), minLength: 5, maxLength: 7 }),
  );
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 64 });
  const time = fc.integer({ min: 3 * STEP_MS, max: 20_000_000_000_000 });
  fc.assert(
    fc.property(bytes, time, entered, (secret, now, choice) => {
      const app = new TOTP({ secret: Secret.fromBase32(encodeBase32(secret)) });
      const step = getStep(now);
      assert.equal(app.generate({ timestamp: now }), computeCode(secret, step));
      const bent = (drift: number, add: number): string =>
        String((Number(computeCode(secret, step + drift)) + add) % 1_000_000).padStart(6, "0");
      const code = typeof choice === "string" ? choice : bent(choice.drift, choice.add);
      // It throws at six characters of more bytes.
      const isAscii = /^[\0-\x7f]*$/.test(code);
      const delta = isAscii ? app.validate({ token: code, timestamp: now, window: 1 }) : null;
      assert.equal(findStep(secret, code, now, -1), delta === null ? undefined : step + delta);
    }),
    { numRuns: 300 },
  );
});
