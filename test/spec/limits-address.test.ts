import assert from "node:assert/strict";
import { test } from "node:test";
import { type RunningGate, startGate } from "../support/gate.ts";

// How the header is read: `test/web/request/remote-address.test.ts`.

test("ignores forwarding headers by default, even if they change with each attempt", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
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

test("allows each client behind a trusted proxy five attempts, whatever it claims", async (t) => {
  const gate = await startGate(t, { trustedProxies: ["127.0.0.0/8"] });
  await gate.setUp();
  const signIn = (address: string, attempt = 0) => {
    const headers = { "X-Forwarded-For": `198.51.100.${attempt}, ${address}`, "X-Real-IP": "::1" };
    return gate.signIn({}, { from: "127.0.0.9", headers });
  };
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    assert.equal((await signIn("203.0.113.5", attempt)).location, "/");
  }
  assert.equal((await signIn("203.0.113.5")).location, "/login?error=1");
  assert.equal((await signIn("203.0.113.6")).location, "/");
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

test("allows each IPv6 address five attempts by default", async (t) => {
  const gate = await startGate(t, { trustedProxies: ["127.0.0.1"] });
  assert.equal(await successesFromOneNetwork(gate), 6);
});

test("with LIMIT_IPV6_PREFIX=64, allows a /64 five attempts and logs the full address", async (t) => {
  const gate = await startGate(t, { trustedProxies: ["127.0.0.1"], limitIpv6Prefix: 64 });
  assert.equal(await successesFromOneNetwork(gate), 5);
  const entries = await gate.logEntries(7);
  assert.equal(entries.at(-1)?.summary, "Rate limited login from 2001:db8::6");
});
