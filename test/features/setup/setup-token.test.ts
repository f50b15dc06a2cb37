import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isSetupTokenExpected,
  matchesSetupToken,
} from "../../../src/features/setup/setup-token.ts";

test("requires no token when none is stored or it is empty", () => {
  for (const kept of [undefined, "", " \n\t", "\u0085", "\ufeff\u00a0\u2028"]) {
    assert.equal(isSetupTokenExpected(kept), false, JSON.stringify(kept));
    assert.equal(matchesSetupToken(kept, ""), true, JSON.stringify(kept));
    assert.equal(matchesSetupToken(kept, "anything"), true, JSON.stringify(kept));
  }
});

test("ignores white space around both tokens", () => {
  assert.equal(isSetupTokenExpected(" s3cret\n"), true);
  for (const around of ["", " ", "\r\n", "\u0085", "\u00a0", "\ufeff", "\u2028\u3000"]) {
    const token = `${around}s3cret${around}`;
    assert.equal(matchesSetupToken("s3cret\n", token), true, JSON.stringify(token));
    assert.equal(matchesSetupToken(token, "s3cret"), true, JSON.stringify(token));
  }
  for (const inside of [" ", "\u0085", "\u200b", "\u180e"]) {
    assert.equal(matchesSetupToken(`s3${inside}cret`, "s3cret"), false, JSON.stringify(inside));
  }
  for (const kept of ["\u200bs3cret", "\u180es3cret", "s3cret\0"]) {
    assert.equal(matchesSetupToken(kept, "s3cret"), false, JSON.stringify(kept));
  }
});

for (const given of ["", " ", "s3cre", "s3crets", "S3cret", "s3 cret", "s3cret\0", "ｓ3cret"]) {
  test(`rejects the wrong token ${JSON.stringify(given)}`, () => {
    assert.equal(matchesSetupToken("s3cret", given), false);
  });
}

test("rejects every token if the stored one is not well-formed", () => {
  for (const given of ["s\ufffd", "s"]) assert.equal(matchesSetupToken("s\ud800", given), false);
});
