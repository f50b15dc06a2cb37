import assert from "node:assert/strict";
import { test } from "node:test";
import { hashRecoveryCode } from "../../../src/features/codes/recovery-codes.ts";

test("hashes a recovery code as earlier versions have stored it, with or without hyphens", () => {
  const stored = "nDrGaQs19veJQgd3SN8v5b0Y8klc4j8V4b3v1Wkjy5g";
  assert.equal(hashRecoveryCode("11111-22222-33333-44444-55555"), stored);
  assert.equal(hashRecoveryCode("1111122222333334444455555"), stored);
});
