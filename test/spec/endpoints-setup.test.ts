import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { countOf, refuse } from "../support/database.ts";
import { OWNER, startGate } from "../support/gate.ts";

const TOKEN = "the setup token";
const FORM = { ...OWNER, confirm: OWNER.password, token: TOKEN, domain: "" };

const BAD_TOKEN = { token: "another token" };
const NO_USERNAME = { username: "" };
const NO_PASSWORD = { password: "" };
const DIFFERENT = { confirm: "something else" };

const MISSING = [422, "username and password are required"] as const;
const DIFFER = [422, "passwords do not match"] as const;
const WRONG_TOKEN = [403, "invalid setup token"] as const;

/** If two rules are broken, the message is that of the earlier one. */
const refusals: readonly (readonly [
  flaws: Readonly<Record<string, string>>,
  shown: readonly [number, string],
])[] = [
  [{ ...BAD_TOKEN, ...NO_USERNAME, ...DIFFERENT }, WRONG_TOKEN],
  [{ token: "" }, WRONG_TOKEN],
  [{ ...NO_USERNAME, ...DIFFERENT }, MISSING],
  [{ ...NO_PASSWORD, confirm: "" }, MISSING],
  [{ confirm: "" }, DIFFER],
  [{ confirm: `${OWNER.password} ` }, DIFFER],
  [{ password: "Zo\u00eb", confirm: "Zoe\u0308" }, DIFFER],
];

test("rejects a setup with the message of the first broken rule", async (t) => {
  const gate = await startGate(t);
  await writeFile(gate.setupTokenFile, TOKEN);
  for (const [flaws, [status, message]] of refusals) {
    const answer = await gate.send("/setup", { form: { ...FORM, ...flaws } });
    assert.equal(answer.status, status, JSON.stringify(flaws));
    assert.ok(answer.body.includes(`<p class="problem" role="alert">${message}</p>`), answer.body);
    assert.deepEqual(answer.cookies, []);
  }
  assert.equal(countOf(gate.databaseFile, "users"), 0);
  assert.ok(existsSync(gate.setupTokenFile));
});

test("once an account exists, redirects a setup with any flaw to /login", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  await writeFile(gate.setupTokenFile, TOKEN);
  for (const flaws of [BAD_TOKEN, NO_USERNAME, NO_PASSWORD, DIFFERENT]) {
    const answer = await gate.send("/setup", { form: { ...FORM, ...flaws } });
    assert.deepEqual([answer.status, answer.location, answer.cookies], [303, "/login", []]);
  }
  assert.ok(existsSync(gate.setupTokenFile));
});

test("a failed insert shows the reason, and the later steps are skipped", async (t) => {
  const gate = await startGate(t, { domainSetupCommand: "/nonexistent/domain-setup" });
  await writeFile(gate.setupTokenFile, TOKEN);
  refuse(gate.databaseFile, "INSERT ON users", "no room for users");
  const form = { ...FORM, domain: "home.example.org" };
  const answer = await gate.send("/setup", { form });
  assert.equal(answer.status, 500);
  assert.match(answer.body, />no room for users</);
  assert.deepEqual(answer.cookies, []);
  assert.ok(existsSync(gate.setupTokenFile));
  const reported = gate.serverLog.filter(({ level }) => level === "error");
  assert.deepEqual(
    reported.map(({ msg }) => msg),
    ["request failed"],
  );
  await gate.stop();
  assert.equal(countOf(gate.databaseFile, "log_entries"), 0);
});

test("a setup signs the new user in and redirects to /", async (t) => {
  const gate = await startGate(t);
  const answer = await gate.send("/setup", { form: FORM });
  assert.deepEqual([answer.status, answer.location, answer.body], [303, "/", ""]);
  const home = await gate.send("/", { session: answer.session });
  assert.match(home.body, /"Signed in as owner"/);
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

test("GET /setup offers every field, the domain only if a domain setup is configured", async (t) => {
  const plain = await startGate(t);
  const namesIn = (html: string) =>
    [...html.matchAll(/<input [^>]*name="(\w+)"/g)].map((m) => m[1]);
  const { status, body } = await plain.send("/setup");
  assert.equal(status, 200);
  assert.deepEqual(namesIn(body), ["username", "password", "confirm"]);
  const full = await startGate(t, { domainSetupCommand: "/nonexistent/domain-setup" });
  await writeFile(full.setupTokenFile, TOKEN);
  const fields = namesIn((await full.send("/setup")).body);
  assert.deepEqual(fields, ["token", "username", "password", "confirm", "domain"]);
});
