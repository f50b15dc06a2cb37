import assert from "node:assert/strict";
import { test } from "node:test";
import { isSetupTokenExpected, setupTokenMatches } from "../../src/core/setup-token.ts";

test("without a token that is kept, or with an empty one, none is expected and any is right", () => {
  for (const kept of [undefined, "", " \n\t"]) {
    assert.equal(isSetupTokenExpected(kept), false, JSON.stringify(kept));
    assert.equal(setupTokenMatches(kept, ""), true, JSON.stringify(kept));
    assert.equal(setupTokenMatches(kept, "anything"), true, JSON.stringify(kept));
  }
});

test("white space around either token does not count", () => {
  assert.equal(isSetupTokenExpected(" s3cret\n"), true);
  for (const given of ["s3cret", " s3cret", "s3cret\r\n"]) {
    assert.equal(setupTokenMatches("s3cret\n", given), true, JSON.stringify(given));
  }
});

for (const given of ["", " ", "s3cre", "s3crets", "S3cret", "s3 cret", "s3cret\0", "ｓ3cret"]) {
  test(`the wrong token: ${JSON.stringify(given)}`, () => {
    assert.equal(setupTokenMatches("s3cret", given), false);
  });
}
