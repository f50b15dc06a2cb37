import assert from "node:assert/strict";
import { test } from "node:test";
import { countOf } from "../support/database.ts";
import { changeForm, OWNER, type RunningGate, SETUP_FORM, startGate } from "../support/gate.ts";

const NEW = "another password";
const PASSWORD_FORM = changeForm(OWNER.password, NEW);

/** All log entries after the gate has stopped and written what was queued. */
async function everythingLogged(gate: RunningGate): Promise<readonly string[]> {
  await gate.stop();
  const entries = await gate.logEntries(0);
  assert.ok(entries.every(({ author }) => author === "system"));
  return entries.map(({ type, summary }) => `${type}: ${summary}`);
}

test("every event writes its entry, in the order of the events", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  await gate.signIn();
  await gate.send("/account/password", { session, form: PASSWORD_FORM });
  await gate.signIn({ password: NEW });
  for (let attempt = 1; attempt <= 7; attempt += 1) {
    await gate.signIn({ password: NEW }, { from: "127.0.0.7" });
  }
  assert.deepEqual(await everythingLogged(gate), [
    "signup: Created account owner",
    "signin: Signed in as owner",
    "password_change: Changed password",
    "signin: Signed in as owner",
    ...Array.from({ length: 5 }, () => "signin: Signed in as owner"),
    "signin_rate_limited: Rate limited login from 127.0.0.7",
    "signin_rate_limited: Rate limited login from 127.0.0.7",
  ]);
});

const silent: Readonly<Record<string, (gate: RunningGate, session: string) => Promise<unknown>>> = {
  "a wrong password": (gate) => gate.signIn({ password: "wrong" }),
  "an unknown username": (gate) => gate.signIn({ username: "nobody" }),
  "an empty sign-in": (gate) => gate.send("/login", { form: {} }),
  "a setup when an account exists": (gate) => gate.send("/setup", { form: SETUP_FORM }),
  "a signed-out password change": (gate) => gate.send("/account/password", { form: PASSWORD_FORM }),
  "a rejected password change": async (gate, session) => {
    for (const flaw of [
      { current_password: "" },
      { current_password: "wrong" },
      { confirm_password: "different" },
      { new_password: "short", confirm_password: "short" },
    ]) {
      const form = { ...PASSWORD_FORM, ...flaw };
      assert.equal((await gate.send("/account/password", { session, form })).status, 422);
    }
  },
  "a page view": async (gate, session) => {
    for (const path of ["/", "/login", "/setup", "/nothing"]) await gate.send(path, { session });
  },
  "a form from another site": (gate) =>
    gate.signIn({}, { headers: { "Sec-Fetch-Site": "cross-site" } }),
  "signing out": (gate, session) => gate.send("/logout", { session, form: {} }),
};

test("nothing else writes an entry", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  for (const happen of Object.values(silent)) await happen(gate, session);
  assert.deepEqual(await everythingLogged(gate), ["signup: Created account owner"]);
});

test("a rejected setup and a sign-in before the setup write no entry", async (t) => {
  const gate = await startGate(t);
  await gate.send("/setup", { form: { ...SETUP_FORM, confirm: "different" } });
  await gate.send("/setup", { form: {} });
  await gate.signIn();
  assert.deepEqual(await everythingLogged(gate), []);
});

test("the summary contains the username unchanged", async (t) => {
  const username = "  Zo\u00eb\n<b>'\"\\%s a\0b \u{1f511} ";
  const gate = await startGate(t);
  await gate.setUp({ username });
  await gate.signIn({ username });
  assert.deepEqual(await everythingLogged(gate), [
    `signup: Created account ${username}`,
    `signin: Signed in as ${username}`,
  ]);
});

test("each of many concurrent events has exactly one entry", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  await Promise.all(
    Array.from({ length: 20 }, (_, client) => gate.signIn({}, { from: `127.0.1.${client + 1}` })),
  );
  const entries = await everythingLogged(gate);
  assert.equal(entries.filter((entry) => entry === "signin: Signed in as owner").length, 20);
  assert.equal(countOf(gate.databaseFile, "log_entries"), 21);
});
