import assert from "node:assert/strict";
import { test } from "node:test";
import { type RunningGate, startGate } from "../support/gate.ts";

/** Signs in with these headers until it is denied, and returns the address in the log entry. */
async function limitedAs(
  gate: RunningGate,
  forwardedFor: string | ((attempt: number) => string),
  from = "127.0.0.1",
): Promise<string | undefined> {
  await gate.setUp();
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    const value = typeof forwardedFor === "string" ? forwardedFor : forwardedFor(attempt);
    await gate.signIn({ password: "wrong" }, { from, headers: { "X-Forwarded-For": value } });
  }
  await gate.stop();
  const entries = await gate.logEntries(1);
  return entries
    .find(({ type }) => type === "signin_rate_limited")
    ?.summary.split(" ")
    .at(-1);
}

test("ignores X-Forwarded-For by default, even if it changes with each attempt", async (t) => {
  const gate = await startGate(t);
  const address = await limitedAs(gate, (attempt) => `203.0.113.${attempt}`, "127.0.0.7");
  assert.equal(address, "127.0.0.7");
});

test("ignores X-Forwarded-For from a peer that is not a trusted proxy", async (t) => {
  const gate = await startGate(t, { trustedProxies: ["127.0.0.1", "10.0.0.0/8"] });
  const address = await limitedAs(gate, (attempt) => `203.0.113.${attempt}`, "127.0.0.7");
  assert.equal(address, "127.0.0.7");
});

test("ignores addresses that a client adds before the one from a trusted proxy", async (t) => {
  const gate = await startGate(t, { trustedProxies: ["127.0.0.1"] });
  const address = await limitedAs(gate, (attempt) => `203.0.113.${attempt}, 198.51.100.5`);
  assert.equal(address, "198.51.100.5");
});

const TRUSTED = ["127.0.0.1", "10.0.0.0/8", "fd00::/8"];

for (const { header, address } of [
  { header: "203.0.113.5", address: "203.0.113.5" },
  { header: "198.51.100.1, 203.0.113.5", address: "203.0.113.5" },
  { header: "198.51.100.1,203.0.113.5,10.0.0.9", address: "203.0.113.5" },
  { header: "203.0.113.5, 10.0.0.9, 10.1.2.3, fd00::1", address: "203.0.113.5" },
  { header: "198.51.100.1, 10.0.0.9, 203.0.113.5, 10.0.0.8", address: "203.0.113.5" },
  { header: "203.0.113.5:4711", address: "203.0.113.5" },
  { header: "2001:DB8:0:0::5", address: "2001:db8::5" },
  { header: "[2001:db8::5]:4711", address: "2001:db8::5" },
  { header: "::ffff:203.0.113.5", address: "203.0.113.5" },
  { header: "10.0.0.9", address: "10.0.0.9" },
  { header: "", address: "127.0.0.1" },
  { header: "unknown", address: "127.0.0.1" },
  { header: "203.0.113.5, nonsense, 10.0.0.9", address: "10.0.0.9" },
]) {
  test(`behind trusted proxies, X-Forwarded-For ${JSON.stringify(header)} means ${address}`, async (t) => {
    const gate = await startGate(t, { trustedProxies: TRUSTED });
    assert.equal(await limitedAs(gate, header), address);
  });
}

test("allows each client behind a trusted proxy five attempts", async (t) => {
  const gate = await startGate(t, { trustedProxies: ["127.0.0.0/8"] });
  await gate.setUp();
  const signIn = (address: string) =>
    gate.signIn({}, { from: "127.0.0.9", headers: { "X-Forwarded-For": address } });
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    assert.equal((await signIn("203.0.113.5")).location, "/");
  }
  assert.equal((await signIn("203.0.113.5")).location, "/login?error=1");
  assert.equal((await signIn("203.0.113.6")).location, "/");
});

test("ignores other forwarding headers", async (t) => {
  const gate = await startGate(t, { trustedProxies: ["127.0.0.1"] });
  await gate.setUp();
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    const address = `203.0.113.${attempt}`;
    const headers = { Forwarded: `for=${address}`, "X-Real-IP": address, "Client-IP": address };
    await gate.signIn({ password: "wrong" }, { headers });
  }
  const entries = await gate.logEntries(2);
  assert.equal(entries.at(-1)?.summary, "Rate limited login from 127.0.0.1");
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
