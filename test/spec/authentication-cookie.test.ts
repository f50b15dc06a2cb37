import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../support/client.ts";
import { inDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type RunningGate, SETUP_FORM, startGate } from "../support/gate.ts";
import { partsOf } from "../support/mint.ts";

const PLAIN = /^session=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/;
const SECURE =
  /^session=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000; Secure$/;

type Headers = Readonly<Record<string, string>>;

const ways: Readonly<Record<string, (gate: RunningGate, headers: Headers) => Promise<Answer>>> = {
  setup: (gate, headers) => gate.send("/setup", { form: SETUP_FORM, headers }),
  "sign-in": async (gate, headers) => {
    await gate.setUp();
    return gate.signIn({}, { headers });
  },
};

for (const [way, ask] of Object.entries(ways)) {
  // Other values of the header: `test/web/request/connection.test.ts`.
  for (const [proto, attributes] of [
    [undefined, PLAIN],
    ["https", SECURE],
  ] as const) {
    test(`${way} with X-Forwarded-Proto ${proto ?? "absent"} sets one cookie with exactly the specified attributes`, async (t) => {
      const headers: Headers = proto === undefined ? {} : { "X-Forwarded-Proto": proto };
      const { cookies } = await ask(await startGate(t), headers);
      assert.match(cookies[0] ?? "", attributes);
      assert.equal(cookies.length, 1);
    });
  }
}

test("with SESSION_LIFETIME, cookie, token and row end together", async (t) => {
  const gate = await startGate(t, { sessionLifetimeMs: 3_600_000 });
  const { cookies, session } = await gate.send("/setup", { form: SETUP_FORM });
  assert.match(cookies[0] ?? "", /; Max-Age=3600$/);
  const { iat, exp } = partsOf(session ?? "").claims;
  assert.equal(Number(exp) - Number(iat), 3_600);
  const row = await eventually(() =>
    inDatabase(gate.databaseFile, (database) =>
      database.prepare("SELECT expires_at FROM sessions").get(),
    ),
  );
  assert.equal(row.expires_at, Number(exp) * 1_000);
});
