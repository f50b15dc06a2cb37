import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { jwtVerify } from "jose";
import { createSessionTokens } from "../../src/identity/session-token.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { SECRET } from "../support/gate.ts";
import { signed, userIdIn } from "../support/mint.ts";

const clock = fakeClock();
const NOW = Math.floor(clock.now() / 1_000);
const KEY = Buffer.from(SECRET);

/** As another implementation reads a session token: the user that it names. */
async function otherwiseRead(token: string): Promise<string | undefined> {
  try {
    const { payload } = await jwtVerify<{ user_id: unknown }>(token, KEY, {
      algorithms: ["HS256"],
      currentDate: new Date(NOW * 1_000),
      requiredClaims: ["exp"],
    });
    const { user_id: id } = payload;
    return typeof id === "string" && id !== "" ? id : undefined;
  } catch {
    return undefined;
  }
}

/** JSON has no infinity, but 1e999 is read as one. */
const INFINITE = "infinite";
const part = (fields: object): string =>
  Buffer.from(JSON.stringify(fields).replaceAll(`"${INFINITE}"`, "1e999")).toString("base64url");

const usually = <T>(usual: T, other: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, other);
const odd = fc.oneof(fc.jsonValue(), fc.constantFrom(undefined, null, "", [], {}));
const time = fc.oneof(
  fc.integer({ min: -2, max: 2 }).map((seconds) => NOW + seconds),
  fc.double({ min: NOW - 1, max: NOW + 1, noNaN: true }),
  fc.constantFrom(INFINITE, 0, -1, String(NOW + 60)),
  odd,
);
const header = fc.record(
  {
    alg: usually("HS256", fc.constantFrom("hs256", "HS512", "none", "", null, ["HS256"])),
    typ: odd,
    crit: usually(undefined, fc.oneof(fc.constantFrom([], ["b64"], ["exp"]), odd)),
    b64: usually(undefined, fc.constantFrom(true, false, 1)),
    kid: odd,
    sessions_from: odd,
  },
  { requiredKeys: ["alg"] },
);
const claims = fc.record(
  {
    user_id: usually("user-1", fc.oneof(fc.string(), odd)),
    exp: usually(NOW + 60, time),
    iat: usually(NOW, time),
    nbf: usually(undefined, time),
    jti: odd,
    aud: odd,
    iss: odd,
  },
  { requiredKeys: [] },
);
const minting = fc.record({
  secret: fc.constantFrom(SECRET, SECRET, SECRET, SECRET, "", `${SECRET} `),
  hash: fc.constantFrom("sha256" as const, "sha256" as const, "sha256" as const, "sha512" as const),
});

test("accepts the session tokens that another implementation accepts, and names the same user", async () => {
  const tokens = createSessionTokens(SECRET, clock);
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(header, claims, minting, async (head, body, by) => {
      const token = signed(part(head), part(body), by);
      // The other one takes infinity for a time, and knows one extension that `crit` may name.
      const isEndless = [body.exp, body.iat, body.nbf].includes(INFINITE);
      const isOwn = !isEndless && head.crit === undefined;
      const expected = isOwn ? await otherwiseRead(token) : undefined;
      assert.equal(userIdIn(tokens, token), expected, JSON.stringify([head, body, by]));
      if (expected !== undefined) accepted += 1;
    }),
    { numRuns: 500 },
  );
  assert.ok(accepted > 10, `${accepted} of them were accepted`);
});
