import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type RunningGate, startConfigured, startGate } from "../support/gate.ts";
import { jsonLines } from "../support/json-lines.ts";
import { type Running, startLatchkey } from "../support/process.ts";

const follow = (t: TestContext, gate: RunningGate, ...options: readonly string[]): Running =>
  startLatchkey(t, ["log", "--follow", "--json", ...options], { DATA_DIR: gate.dataDir });

test("--follow prints every entry once while the gate writes, until a signal", async (t) => {
  const { gate } = await startConfigured(t);
  await gate.logEntries(1);
  const following = follow(t, gate);
  await following.shows(/"signup"/);
  await gate.signIn();
  await following.shows(/"signin"/);
  for (let attempt = 0; attempt < 5; attempt += 1) await gate.signIn({ password: "wrong" });
  await following.shows(/"signin_rate_limited"/);
  following.child.kill("SIGINT");
  const { stdout, stderr, signal } = await following.ended;
  assert.deepEqual([stderr, signal], ["", "SIGINT"]);
  const ids = jsonLines(stdout).map(({ id }) => id);
  assert.deepEqual(ids, [1, 2, 3]);
});

test("--follow works on an empty log, filters, and ends with its reader", async (t) => {
  const gate = await startGate(t);
  const following = follow(t, gate, "--type", "signin", "--limit", "1");
  await gate.setUp();
  await gate.signIn();
  await following.shows(/"signin"/);
  await gate.signIn();
  const [, shown = ""] = await following.shows(/^(.*\n.*\n)/);
  const types = jsonLines(shown).map(({ type }) => type);
  assert.deepEqual(types, ["signin", "signin"]);
  following.child.stdout?.destroy();
  await gate.signIn();
  const { code, stderr } = await following.ended;
  assert.deepEqual([code, stderr], [0, ""]);
});
