import assert from "node:assert/strict";
import { test } from "node:test";
import { createDoctorProof } from "../../src/gate/identity-proof.ts";

const proof = createDoctorProof("a secret for tests, 32 bytes long");

test("answers a question of the same secret with a proof of the secret and of each name", () => {
  const same = createDoctorProof("a secret for tests, 32 bytes long");
  const question = proof.createQuestion();
  const answer = same.answerQuestion(question, ["folder", "database"]);
  assert.equal(answer?.length, 3);
  assert.deepEqual(answer, proof.answerQuestion(question, ["folder", "database"]));
  const other = proof.answerQuestion(question, ["folder", "other"]) ?? [];
  const isSame = other.map((one, at) => one === answer?.[at]);
  assert.deepEqual(isSame, [true, true, false]);
  assert.notDeepEqual(answer, proof.answerQuestion(proof.createQuestion(), ["folder", "database"]));
});

test("answers no other text, so it signs nothing for a client without the secret", () => {
  const question = proof.createQuestion();
  const [nonce = "", mac = ""] = question.split(".");
  const [signed = ""] = proof.answerQuestion(question, []) ?? [];
  for (const given of [
    createDoctorProof("another secret for tests, 32 bytes").createQuestion(),
    ...["", nonce, `${nonce}.`, `${nonce}.${signed}`, `${mac.slice(0, 22)}.${mac}`],
    ...[`${question}.`, `${question}x`, ` ${question}`, `é${question}`, "x".repeat(16_000)],
  ]) {
    assert.equal(proof.answerQuestion(given, ["folder"]), undefined, given);
  }
});
