import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type RunningGate, startGate } from "../support/gate.ts";
import { type Running, startLatchkey } from "../support/process.ts";

const follow = (t: TestContext, gate: RunningGate, ...options: readonly string[]): Running =>
  startLatchkey(t, ["log", "--follow", ...options], { DATA_DIR: gate.dataDir });

test("--follow prints existing entries, then every new entry once", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  await gate.logEntries(1);
  const following = follow(t, gate, "--json");
  await following.shows(/"signup"/);
  await gate.signIn();
  await following.shows(/"signin"/);
  for (let attempt = 0; attempt < 5; attempt += 1) await gate.signIn({ password: "wrong" });
  await following.shows(/"signin_rate_limited"/);
  const ids = following
    .stdout()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).id);
  assert.deepEqual(ids, [1, 2, 3]);
});

test("--follow works on an empty log and applies --type and --limit", async (t) => {
  const gate = await startGate(t);
  const following = follow(t, gate, "--type", "signin", "--limit", "1", "--json");
  await gate.setUp();
  await gate.signIn();
  await following.shows(/"signin"/);
  await gate.signIn();
  const [, shown = ""] = await following.shows(/^(.*\n.*\n)/);
  assert.deepEqual(
    shown
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).type),
    ["signin", "signin"],
  );
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`--follow ends on ${signal} without a message`, async (t) => {
    const gate = await startGate(t);
    await gate.setUp();
    const following = follow(t, gate);
    await following.shows(/signup/);
    following.child.kill(signal);
    const ending = await following.ended;
    assert.equal(ending.stderr, "");
    assert.equal(ending.signal, signal);
  });
}

test("--follow ends successfully when the reader of its output closes the pipe", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const following = follow(t, gate);
  await following.shows(/signup/);
  following.child.stdout?.destroy();
  await gate.signIn();
  const { code, stderr } = await following.ended;
  assert.deepEqual([code, stderr], [0, ""]);
});

test("the gate serves requests while --follow runs", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const following = follow(t, gate);
  await following.shows(/signup/);
  const form = {
    current_password: "correct horse",
    new_password: "battery staple",
    confirm_password: "battery staple",
  };
  const { session } = await gate.signIn();
  assert.equal((await gate.send("/account/password", { form, session })).status, 303);
  await following.shows(/Changed password/);
});
