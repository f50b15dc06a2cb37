import assert from "node:assert/strict";
import { test } from "node:test";
import { OWNER, type RunningGate, startGate } from "../support/gate.ts";

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
