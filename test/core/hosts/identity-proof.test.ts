import assert from "node:assert/strict";
import { test } from "node:test";
import { createIdentityProof } from "../../../src/core/hosts/identity-proof.ts";

const proof = createIdentityProof("a secret for tests, 32 bytes long");

test("answers a question of the same secret with a proof of the secret and of each name", () => {
  const same = createIdentityProof("a secret for tests, 32 bytes long");
  const question = proof.question();
  const answer = same.answer(question, ["folder", "database"]);
  assert.equal(answer?.length, 3);
  assert.deepEqual(answer, proof.answer(question, ["folder", "database"]));
  const other = proof.answer(question, ["folder", "other"]) ?? [];
  const isSame = other.map((one, at) => one === answer?.[at]);
  assert.deepEqual(isSame, [true, true, false]);
  assert.notDeepEqual(answer, proof.answer(proof.question(), ["folder", "database"]));
});

test("answers no other text, so it signs nothing for a client without the secret", () => {
  const question = proof.question();
  const [nonce = "", mac = ""] = question.split(".");
  const [signed = ""] = proof.answer(question, []) ?? [];
  for (const given of [
    createIdentityProof("another secret for tests, 32 bytes").question(),
    ...["", nonce, `${nonce}.`, `${nonce}.${signed}`, `${mac.slice(0, 22)}.${mac}`],
    ...[`${question}.`, `${question}x`, ` ${question}`, `é${question}`, "x".repeat(16_000)],
  ]) {
    assert.equal(proof.answer(given, ["folder"]), undefined, given);
  }
});
