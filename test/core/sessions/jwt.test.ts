import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { jwtVerify, SignJWT } from "jose";
import { jwtKey, readJwt, signJwt } from "../../../src/core/sessions/jwt.ts";
import { encoded, signed } from "../../support/mint.ts";

const SECRET = "ein längeres Geheimnis für Tests 🔑";
const SECRET_BYTES = Buffer.from(SECRET, "utf8");
const KEY = jwtKey(SECRET);
const OTHER = jwtKey(`${SECRET}.`);
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
      assert.deepEqual(readJwt(token, [KEY]), { header: protectedHeader, claims: { ...payload } });
    }),
    { numRuns: 200 },
  );
});

test("reads what another implementation signs", async () => {
  const token = await new SignJWT({ user_id: "ä 🔑" })
    .setProtectedHeader({ alg: "HS256", kid: "one" })
    .sign(SECRET_BYTES);
  assert.deepEqual(readJwt(token, [KEY]), {
    header: { alg: "HS256", kid: "one" },
    claims: { user_id: "ä 🔑" },
  });
});

test("reads nothing that another implementation rejects", async () => {
  const part = fc.oneof(
    fc.constantFrom(...GENUINE.split(".")),
    fc.jsonValue().map(encoded),
    fc
      .record({ alg: fc.constantFrom("HS256", "none", "HS512"), crit: fc.jsonValue() })
      .map(encoded),
    fc.base64String({ maxLength: 12 }),
    fc.string({ maxLength: 12 }),
  );
  const text = fc.oneof(
    fc.tuple(part, part).map(([header, claims]) => signed(header, claims, { secret: SECRET })),
    fc.array(part, { maxLength: 5 }).map((parts) => parts.join(".")),
  );
  await fc.assert(
    fc.asyncProperty(text, async (token) => {
      const known = await jwtVerify(token, KEY, { algorithms: ["HS256"] }).then(
        () => true,
        // The times of a genuine token are the caller's concern.
        (error) => error.code === "ERR_JWT_EXPIRED" || "claim" in error,
      );
      if (!known) assert.equal(readJwt(token, [KEY]), undefined, token);
    }),
    { numRuns: 2_000 },
  );
});

test("accepts a signature by any of the keys, and by no other", () => {
  assert.ok(readJwt(GENUINE, [OTHER, KEY]));
  assert.equal(readJwt(GENUINE, [OTHER]), undefined);
  assert.equal(readJwt(GENUINE, []), undefined);
});

test("interprets nothing of a token before its signature was verified", (t) => {
  const parse = t.mock.method(JSON, "parse");
  assert.equal(readJwt(`${GENUINE.slice(0, -4)}AAAA`, [KEY]), undefined);
  assert.equal(parse.mock.callCount(), 0);
  assert.ok(readJwt(GENUINE, [KEY]));
  assert.equal(parse.mock.callCount(), 2);
});
