import assert from "node:assert/strict";
import { test } from "node:test";
import { isSetupTokenExpected, setupTokenMatches } from "../../../src/core/setup/setup-token.ts";

test("requires no token when none is stored or it is empty", () => {
  for (const kept of [undefined, "", " \n\t"]) {
    assert.equal(isSetupTokenExpected(kept), false, JSON.stringify(kept));
    assert.equal(setupTokenMatches(kept, ""), true, JSON.stringify(kept));
    assert.equal(setupTokenMatches(kept, "anything"), true, JSON.stringify(kept));
  }
});

test("ignores white space around both tokens", () => {
  assert.equal(isSetupTokenExpected(" s3cret\n"), true);
  for (const given of ["s3cret", " s3cret", "s3cret\r\n"]) {
    assert.equal(setupTokenMatches("s3cret\n", given), true, JSON.stringify(given));
  }
});

for (const given of ["", " ", "s3cre", "s3crets", "S3cret", "s3 cret", "s3cret\0", "ｓ3cret"]) {
  test(`rejects the wrong token ${JSON.stringify(given)}`, () => {
    assert.equal(setupTokenMatches("s3cret", given), false);
  });
}

test("rejects every token if the stored one is not well-formed", () => {
  for (const given of ["s\ufffd", "s"]) assert.equal(setupTokenMatches("s\ud800", given), false);
});
