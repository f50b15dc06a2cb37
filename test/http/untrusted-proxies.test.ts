import assert from "node:assert/strict";
import { test } from "node:test";
import { type RunningGate, startConfigured, startGate } from "../support/gate.ts";

const FORWARDED = { "X-Forwarded-For": "203.0.113.7" };

const warnings = ({ serverLog }: RunningGate) =>
  serverLog.filter(({ msg }) => /TRUSTED_PROXIES/.test(String(msg)));

test("warns about a sign-in forwarded by an untrusted peer", async (t) => {
  const { gate } = await startConfigured(t);
  await gate.signIn({}, { headers: FORWARDED });
  const [warning, ...others] = warnings(gate);
  assert.deepEqual([warning?.level, warning?.peer, others], ["warn", "127.0.0.1", []]);
  assert.match(String(warning?.msg), /all clients behind it share the sign-in limit/);
  assert.doesNotMatch(JSON.stringify(warning), /203\.0\.113/);
});

test("warns about at most ten peers", async (t) => {
  const gate = await startGate(t);
  const sent = Array.from({ length: 20 }, (_, index) =>
    gate.signIn({}, { headers: FORWARDED, from: `127.0.3.${index + 1}` }),
  );
  await Promise.all(sent);
  assert.equal(warnings(gate).length, 10);
});

test("does not warn about a trusted peer or one that forwards nothing", async (t) => {
  const { gate } = await startConfigured(t, { trustedProxies: ["127.0.0.1"] });
  await gate.signIn({}, { headers: FORWARDED });
  await gate.signIn({}, { from: "127.0.0.2" });
  assert.deepEqual(warnings(gate), []);
});

test("does not warn about an address that the app has taken from the header", async (t) => {
  const gate = await startGate(t);
  for (const forwarded of ["127.0.0.1", "203.0.113.7, ::ffff:127.0.0.1", "127.0.0.1:4711, x"]) {
    await gate.signIn({}, { headers: { "X-Forwarded-For": forwarded } });
  }
  assert.deepEqual(warnings(gate), []);
});
