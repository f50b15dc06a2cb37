import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { refuse, stopRefusing } from "../support/database.ts";
import { OWNER, startGate } from "../support/gate.ts";

const TOKEN = "the setup token";
const FORM = { ...OWNER, confirm: OWNER.password, token: TOKEN, domain: "" };

test("a failed insert shows the reason, and the setup can be repeated", async (t) => {
  const gate = await startGate(t, { domainSetupCommand: "/nonexistent/domain-setup" });
  await writeFile(gate.setupTokenFile, TOKEN);
  refuse(gate.databaseFile, "INSERT ON latchkey_users", "no room for users");
  const form = { ...FORM, domain: "home.example.org" };
  const answer = await gate.send("/setup", { form });
  assert.equal(answer.status, 500);
  assert.match(answer.body, />no room for users</);
  assert.deepEqual(answer.cookies, []);
  assert.ok(existsSync(gate.setupTokenFile));
  const errors = gate.serverLog.filter(({ level }) => level === "error");
  assert.partialDeepStrictEqual(errors, [{ msg: "request failed" }]);
  assert.equal(errors.length, 1);
  stopRefusing(gate.databaseFile);
  await gate.setUp({ token: TOKEN });
  assert.equal((await gate.logEntries(1)).length, 1);
});

for (const accepted of [
  { rule: "accepts a first password of one character", username: "o", password: "x" },
  { rule: "accepts a username and a password of spaces only", username: " ", password: " " },
  { rule: "accepts a password of 10,000 characters", username: "o", password: "x".repeat(10_000) },
]) {
  test(accepted.rule, async (t) => {
    const { username, password } = accepted;
    const gate = await startGate(t);
    await gate.setUp({ username, password });
    assert.equal((await gate.signIn({ username, password })).location, "/");
  });
}
