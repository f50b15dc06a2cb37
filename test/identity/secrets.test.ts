import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { findWeakSecrets } from "../../src/identity/secrets.ts";
import { DEVELOPMENT_SECRET } from "../../src/identity/session-token.ts";

const secretWeakness = (secret: string): string | undefined =>
  findWeakSecrets({ secret, previousSecrets: [] })[0]?.weakness;

const FINE = "kJ8s!xQz7Lp2Vw9Rt4Yb6Nc3Md5Hf1Gu";
/** Nine different characters in no order that repeats. */
const NINE = "bcdfghjkllkjhgfdcbbdbdbdhkhkhkhk";

const weak: readonly (readonly [secret: string, reason: RegExp])[] = [
  ["changeme", /placeholder/],
  ["Change-Me", /placeholder/],
  ["my super secret key 1234567890", /placeholder/],
  ["your_jwt_secret_here_please_change_this_now_123".replace("_now", ""), /placeholder/],
  [FINE.slice(1), /fewer than the required 32 characters/],
  ["äöüßéèêàçñøå€æœþ", /fewer than the required 32/],
  [NINE, /few different/],
  ["latchkey development secret: everybody knows it", /development secret/],
  ["x".repeat(64), /placeholder/],
  ["abcdefghijklmnop".repeat(4), /placeholder/],
  ["0101010101010101010101010101010101", /placeholder/],
];

for (const [secret, reason] of weak) {
  test(`reports the weakness of a secret such as ${secret}`, () => {
    assert.match(secretWeakness(secret) ?? "", reason);
  });
}

for (const [what, secret] of [
  ["it has just enough bytes", FINE],
  ["it has just enough different characters", `${NINE}m`],
  ["it has neither letters nor digits", "!#$%&'()*+,-./:;<=>?@[]^_`{|}~!~#"],
] as const) {
  test(`finds no weakness in a secret because ${what}`, () => {
    assert.equal(secretWeakness(secret), undefined);
  });
}

test("accepts 32 random bytes in any encoding", () => {
  for (const encoding of ["hex", "base64", "base64url"] as const) {
    for (let n = 0; n < 1_000; n += 1) {
      assert.equal(secretWeakness(randomBytes(32).toString(encoding)), undefined);
    }
  }
});

test("judges any text quickly", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (text) => {
      const answer = secretWeakness(text);
      assert.ok(answer === undefined || !answer.includes(text) || text.length < 5);
    }),
  );
  const start = performance.now();
  secretWeakness("my".repeat(20_000));
  secretWeakness("1".repeat(20_000).concat("!x"));
  assert.ok(performance.now() - start < 1_000);
});

test("reports the weak secrets among the current and the previous ones, and none by its text", () => {
  for (const [secret, previousSecrets, expected] of [
    [FINE, [`${FINE}older`], []],
    [FINE.slice(1), [], ["secret"]],
    [undefined, [], ["secret"]],
    ["", [], ["secret"]],
    [DEVELOPMENT_SECRET, [], ["secret"]],
    ["changeme", [FINE.slice(1)], ["secret", "previousSecrets"]],
    [FINE, [FINE, DEVELOPMENT_SECRET, "changeme"], ["previousSecrets", "previousSecrets"]],
  ] as const) {
    const weak = findWeakSecrets({ secret, previousSecrets });
    const which = weak.map(({ which }) => which);
    assert.deepEqual(which, expected);
    assert.ok(!JSON.stringify(weak).includes(FINE.slice(1)));
  }
});
