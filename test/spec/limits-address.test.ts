import assert from "node:assert/strict";
import { test } from "node:test";
import { startConfigured } from "../support/gate.ts";

// How the header is read: `test/http/remote-address.test.ts`.

test("ignores forwarding headers by default, even if they change with each attempt", async (t) => {
  const { gate } = await startConfigured(t);
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    const address = `203.0.113.${attempt}`;
    const headers = {
      "X-Forwarded-For": address,
      Forwarded: `for=${address}`,
      "X-Real-IP": address,
    };
    await gate.signIn({ password: "wrong" }, { from: "127.0.0.7", headers });
  }
  const entries = await gate.logEntries(2);
  assert.equal(entries.at(-1)?.summary, "Rate limited login from 127.0.0.7");
});

test("with LIMIT_IPV6_PREFIX=64, allows a /64 five attempts", async (t) => {
  const limits = { trustedProxies: ["127.0.0.1"], limitIpv6Prefix: 64 };
  const { gate } = await startConfigured(t, limits);
  for (let n = 1; n <= 6; n += 1) {
    const headers = { "X-Forwarded-For": `2001:db8::${n}` };
    const { location } = await gate.signIn({}, { headers });
    assert.equal(location, n <= 5 ? "/" : "/login?error=1");
  }
  const entries = await gate.logEntries(7);
  assert.equal(entries.at(-1)?.summary, "Rate limited login from 2001:db8::6");
});
