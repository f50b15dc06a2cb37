import assert from "node:assert/strict";
import { test } from "node:test";
import { valuesOf } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { SETUP_FORM, startGate } from "../support/gate.ts";
import { partsOf } from "../support/mint.ts";

const TOKEN = /^session=[\w-]+\.[\w-]+\.[\w-]+;/;

for (const proto of [undefined, "https"]) {
  test(`with X-Forwarded-Proto ${proto ?? "absent"}, sets one cookie as specified`, async (t) => {
    const gate = await startGate(t);
    const headers: Record<string, string> = proto ? { "X-Forwarded-Proto": proto } : {};
    const setUp = await gate.send("/setup", { form: SETUP_FORM, headers });
    const signIn = await gate.signIn({}, { headers });
    const rest = ` Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000${proto ? "; Secure" : ""}`;
    for (const { cookies } of [setUp, signIn])
      assert.deepEqual(
        cookies.map((cookie) => cookie.replace(TOKEN, "")),
        [rest],
      );
  });
}

test("with SESSION_LIFETIME, cookie, token and row end together", async (t) => {
  const gate = await startGate(t, { sessionLifetimeMs: 3_600_000 });
  const { cookies, session } = await gate.send("/setup", { form: SETUP_FORM });
  assert.match(cookies[0] ?? "", /; Max-Age=3600$/);
  const { iat, exp } = partsOf(session ?? "").claims;
  assert.equal(Number(exp) - Number(iat), 3_600);
  const stored = () => valuesOf(gate.databaseFile, "SELECT expires_at FROM latchkey_sessions")[0];
  assert.deepEqual(await eventually(stored), [Number(exp) * 1_000]);
});
