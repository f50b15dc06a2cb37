import assert from "node:assert/strict";
import { test } from "node:test";
import { inDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { OWNER, type RunningGate, SETUP_FORM, startGate } from "../support/gate.ts";
import { partsOf } from "../support/mint.ts";

const PLAIN = /^session=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/;
const SECURE =
  /^session=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000; Secure$/;

const ways: readonly {
  readonly way: string;
  cookies(gate: RunningGate, headers: Readonly<Record<string, string>>): Promise<readonly string[]>;
}[] = [
  {
    way: "setup",
    async cookies(gate, headers) {
      const form = { ...OWNER, confirm: OWNER.password };
      return (await gate.send("/setup", { form, headers })).cookies;
    },
  },
  {
    way: "sign-in",
    async cookies(gate, headers) {
      await gate.setUp();
      return (await gate.signIn({}, { headers })).cookies;
    },
  },
];

for (const { way, cookies } of ways) {
  // Other values of the header: `test/web/request/connection.test.ts`.
  for (const [proto, attributes] of [
    [undefined, PLAIN],
    ["https", SECURE],
    ["HTTPS", PLAIN],
    ["https, http", PLAIN],
  ] as const) {
    test(`${way} with X-Forwarded-Proto ${proto ?? "absent"} sets one cookie with exactly the specified attributes`, async (t) => {
      const headers: Record<string, string> =
        proto === undefined ? {} : { "X-Forwarded-Proto": proto };
      const [cookie = "", ...others] = await cookies(await startGate(t), headers);
      assert.match(cookie, attributes);
      assert.deepEqual(others, []);
    });
  }
}

test("other forwarding headers do not make the cookie Secure", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const headers = { Forwarded: "proto=https", "X-Forwarded-Ssl": "on", "X-Scheme": "https" };
  assert.match((await gate.signIn({}, { headers })).cookies[0] ?? "", PLAIN);
});

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
