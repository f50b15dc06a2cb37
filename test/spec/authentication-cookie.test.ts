import assert from "node:assert/strict";
import { test } from "node:test";
import { valuesOf } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { SETUP_FORM, startGate } from "../support/gate.ts";
import { partsOf } from "../support/mint.ts";

const PLAIN = /^session=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/;
const SECURE =
  /^session=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000; Secure$/;

for (const [proto, attributes] of [
  [undefined, PLAIN],
  ["https", SECURE],
] as const) {
  test(`setup and sign-in with X-Forwarded-Proto ${proto ?? "absent"} set one cookie with exactly the specified attributes`, async (t) => {
    const gate = await startGate(t);
    const headers: Record<string, string> = proto ? { "X-Forwarded-Proto": proto } : {};
    const setUp = await gate.send("/setup", { form: SETUP_FORM, headers });
    const signIn = await gate.signIn({}, { headers });
    for (const { cookies } of [setUp, signIn]) {
      assert.match(cookies[0] ?? "", attributes);
      assert.equal(cookies.length, 1);
    }
  });
}

test("with SESSION_LIFETIME, cookie, token and row end together", async (t) => {
  const gate = await startGate(t, { sessionLifetimeMs: 3_600_000 });
  const { cookies, session } = await gate.send("/setup", { form: SETUP_FORM });
  assert.match(cookies[0] ?? "", /; Max-Age=3600$/);
  const { iat, exp } = partsOf(session ?? "").claims;
  assert.equal(Number(exp) - Number(iat), 3_600);
  const stored = () => valuesOf(gate.databaseFile, "SELECT expires_at FROM sessions")[0];
  assert.deepEqual(await eventually(stored), [Number(exp) * 1_000]);
});
