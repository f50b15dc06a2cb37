import assert from "node:assert/strict";
import { test } from "node:test";
import { type RunningGate, startConfigured, startGate } from "../support/gate.ts";

// How the header is read: `test/web/request/remote-address.test.ts`.

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

/** The successes of six correct sign-ins, each from another address of one /64. */
async function successesFromOneNetwork(gate: RunningGate): Promise<number> {
  await gate.setUp();
  let letIn = 0;
  for (let n = 1; n <= 6; n += 1) {
    const headers = { "X-Forwarded-For": `2001:db8::${n}` };
    if ((await gate.signIn({}, { headers })).location === "/") letIn += 1;
  }
  return letIn;
}

test("with LIMIT_IPV6_PREFIX=64, allows a /64 five attempts and logs the full address", async (t) => {
  const gate = await startGate(t, { trustedProxies: ["127.0.0.1"], limitIpv6Prefix: 64 });
  assert.equal(await successesFromOneNetwork(gate), 5);
  const entries = await gate.logEntries(7);
  assert.equal(entries.at(-1)?.summary, "Rate limited login from 2001:db8::6");
});
