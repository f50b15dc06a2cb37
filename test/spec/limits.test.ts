import assert from "node:assert/strict";
import { test } from "node:test";
import { changeForm, startConfigured, startGate } from "../support/gate.ts";

test("limits sign-ins only, not pages, guards or password changes", async (t) => {
  const { gate, session } = await startConfigured(t);
  for (let attempt = 1; attempt <= 6; attempt += 1) await gate.signIn({ password: "wrong" });
  const form = changeForm("wrong", "12345678");
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    const answer = await gate.send("/account/password", { session, form });
    assert.match(answer.body, />current password is incorrect</);
  }
  assert.equal((await gate.send("/account/profile", { session })).status, 200);
  assert.equal((await gate.send("/login")).status, 200);
});

test("starts with empty counts after a restart", async (t) => {
  const { gate } = await startConfigured(t);
  const from = "127.0.0.7";
  for (let attempt = 1; attempt <= 6; attempt += 1) await gate.signIn({}, { from });
  await gate.stop();
  const again = await startGate(t, { dataDir: gate.dataDir });
  assert.equal((await again.signIn({}, { from })).location, "/");
});
