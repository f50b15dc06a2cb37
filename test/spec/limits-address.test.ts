import assert from "node:assert/strict";
import { test } from "node:test";
import { type RunningGate, startGate } from "../support/gate.ts";

/** Tries until it is denied, always with these headers, and answers with the address it logged. */
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

test("X-Forwarded-For is not believed by default: a new one at each attempt helps nobody", async (t) => {
  const gate = await startGate(t);
  const address = await limitedAs(gate, (attempt) => `203.0.113.${attempt}`, "127.0.0.7");
  assert.equal(address, "127.0.0.7");
});

test("X-Forwarded-For is not believed of a peer that is no trusted proxy", async (t) => {
  const gate = await startGate(t, { trustedProxies: ["127.0.0.1", "10.0.0.0/8"] });
  const address = await limitedAs(gate, (attempt) => `203.0.113.${attempt}`, "127.0.0.7");
  assert.equal(address, "127.0.0.7");
});

test("what a client puts in front of a trusted proxy's word helps nobody", async (t) => {
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
  test(`behind trusted proxies, X-Forwarded-For ${JSON.stringify(header)} stands for ${address}`, async (t) => {
    const gate = await startGate(t, { trustedProxies: TRUSTED });
    assert.equal(await limitedAs(gate, header), address);
  });
}

test("behind a trusted proxy each client has its own five attempts", async (t) => {
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

test("other forwarding headers are nobody's word", async (t) => {
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

/** Of six attempts with the right password, each from another address of one /64: those let in. */
async function letInFromOneNetwork(gate: RunningGate): Promise<number> {
  await gate.setUp();
  let letIn = 0;
  for (let n = 1; n <= 6; n += 1) {
    const headers = { "X-Forwarded-For": `2001:db8::${n}` };
    if ((await gate.signIn({}, { headers })).location === "/") letIn += 1;
  }
  return letIn;
}

test("each IPv6 address has its own five attempts by default", async (t) => {
  const gate = await startGate(t, { trustedProxies: ["127.0.0.1"] });
  assert.equal(await letInFromOneNetwork(gate), 6);
});

test("with LIMIT_IPV6_PREFIX=64, a /64 has five attempts, and the log has the whole address", async (t) => {
  const gate = await startGate(t, { trustedProxies: ["127.0.0.1"], limitIpv6Prefix: 64 });
  assert.equal(await letInFromOneNetwork(gate), 5);
  const entries = await gate.logEntries(7);
  assert.equal(entries.at(-1)?.summary, "Rate limited login from 2001:db8::6");
});
