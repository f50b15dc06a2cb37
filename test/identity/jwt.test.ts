import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { jwtVerify } from "jose";
import { createJwtKey, parseJwt, signJwt } from "../../src/identity/jwt.ts";

const SECRET = "ein längeres Geheimnis für Tests 🔑";
const SECRET_BYTES = Buffer.from(SECRET, "utf8");
const KEY = createJwtKey(SECRET);
const GENUINE = signJwt({ header: {}, claims: { user_id: "user-1" } }, KEY);

const fields = fc.dictionary(
  fc.string({ unit: "grapheme", maxLength: 12 }).filter((name) => name !== "__proto__"),
  fc.jsonValue(),
  { maxKeys: 6 },
);

test("another implementation verifies what it signs, and reads the same", async () => {
  await fc.assert(
    fc.asyncProperty(fields, async (others) => {
      const claims = { ...others, exp: 9_999_999_999, iat: undefined, nbf: undefined };
      const token = signJwt({ header: { sessions_from: 7 }, claims }, KEY);
      const verified = await jwtVerify(token, SECRET_BYTES, { algorithms: ["HS256"] });
      const { payload, protectedHeader } = verified;
      assert.deepEqual(protectedHeader, { alg: "HS256", typ: "JWT", sessions_from: 7 });
      assert.deepEqual(parseJwt(token, [KEY]), { header: protectedHeader, claims: { ...payload } });
    }),
    { numRuns: 200 },
  );
});

test("interprets nothing of a token before its signature was verified", (t) => {
  const parse = t.mock.method(JSON, "parse");
  assert.equal(parseJwt(`${GENUINE.slice(0, -4)}AAAA`, [KEY]), undefined);
  assert.equal(parse.mock.callCount(), 0);
  assert.ok(parseJwt(GENUINE, [KEY]));
  assert.equal(parse.mock.callCount(), 2);
});
