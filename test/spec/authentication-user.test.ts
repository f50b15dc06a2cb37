import assert from "node:assert/strict";
import { test } from "node:test";
import { startConfigured } from "../support/gate.ts";
import { inSeconds, mint, partsOf } from "../support/mint.ts";

interface Given {
  /** The ID of the only user. */
  readonly id: string;
  /** A genuine token of that user. */
  readonly token: string;
}

/** Cookie headers that do not identify a user. All tokens: `test/identity/session-token-attacks.test.ts`. */
const rejected: Readonly<Record<string, (given: Given) => string | undefined>> = {
  "no cookie at all": () => undefined,
  nonsense: () => "session=nonsense",
  "another secret's token": ({ id }) =>
    `session=${mint({ user_id: id, exp: inSeconds(60) }, { secret: "another secret" })}`,
  "an unknown user's token": () => `session=${mint({ user_id: "unknown", exp: inSeconds(60) })}`,
  "a genuine token after four wrong ones": ({ token }) =>
    `${"session=nonsense; ".repeat(4)}session=${token}`,
};

/** Cookie headers that identify the only user. */
const accepted: Readonly<Record<string, (given: Given) => string>> = {
  "a genuine token after three wrong ones": ({ token }) =>
    `${"session=nonsense; ".repeat(3)}session=; session=${token}`,
  "another service's token with claims of its own": ({ id }) =>
    `session=${mint({ user_id: id, exp: inSeconds(60), iss: "elsewhere", aud: ["x"], role: 1 })}`,
};

test("accepts every cookie that identifies a user and no other, also from the cache", async (t) => {
  const { gate, session: token } = await startConfigured(t);
  const given = { token, id: String(partsOf(token).claims.user_id) };
  for (const time of ["first", "second"]) {
    for (const [what, cookie] of Object.entries(rejected)) {
      const header = cookie(given);
      const headers: Record<string, string> = header === undefined ? {} : { Cookie: header };
      const answer = await gate.send("/account/profile", { headers });
      assert.deepEqual([answer.status, answer.location], [303, "/login"], `${what}, ${time}`);
    }
    for (const [what, cookie] of Object.entries(accepted)) {
      const answer = await gate.send("/account/profile", { headers: { Cookie: cookie(given) } });
      assert.equal(answer.status, 200, `${what}, ${time}`);
      assert.match(answer.body, /"Signed in as owner"/);
    }
  }
});
