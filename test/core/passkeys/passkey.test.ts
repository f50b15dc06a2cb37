import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Passkey,
  passkeysIn,
  rememberAnswer,
  textOf,
} from "../../../src/core/passkeys/passkey.ts";

const passkey: Passkey = {
  id: "an ID",
  name: "Phone",
  key: "a key",
  counter: 0,
  addedAt: 1,
  usedAt: undefined,
  answered: [],
};

test("reads the passkeys of an account, used or not", () => {
  for (const list of [[passkey], [{ ...passkey, usedAt: 2 }, passkey]]) {
    // JSON has no undefined: a passkey that was never used lacks the time.
    assert.equal(textOf(passkeysIn(textOf(list))), textOf(list));
    assert.equal(passkeysIn(textOf(list)).length, list.length);
  }
  assert.deepEqual(passkeysIn(undefined), []);
});

test("reads no passkey from a text that is not a list of passkeys", () => {
  for (const text of ["", "{}", "[1]", "[null]", '[{"id":"x"}]', `${textOf([passkey])}x`]) {
    assert.deepEqual(passkeysIn(text), [], text);
  }
});

for (const damage of [
  { id: 1 },
  { name: null },
  { key: undefined },
  { counter: "0" },
  { addedAt: null },
  { usedAt: "yesterday" },
  { answered: {} },
]) {
  test(`reads no passkey of a list in which one has ${JSON.stringify(damage)}`, () => {
    assert.deepEqual(passkeysIn(JSON.stringify([passkey, { ...passkey, ...damage }])), []);
  });
}

test("remembers an answered challenge until it expires", () => {
  const [expired, valid, given] = [10, 11, 12].map((expiresAt) => ({ nonce: "a", expiresAt }));
  assert.ok(expired && valid && given);
  assert.deepEqual(rememberAnswer([expired, valid], given, 10), [valid, given]);
});
