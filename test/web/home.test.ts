import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { wordsIn } from "../../src/web/pages/words.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { startApp } from "../support/app.ts";
import { execute, refuse } from "../support/database.ts";
import { OWNER, startGate } from "../support/gate.ts";
import { activityOf, elements } from "../support/markup.ts";

const en = wordsIn("en");
const CREATED = "Account owner was created";
const SETUP = { form: { ...OWNER, confirm: OWNER.password } };

test("the home page says who is signed in, and has the way out and the password form", async (t) => {
  const gate = await startGate(t);
  const { body } = await gate.send("/", { session: await gate.setUp({ username: "Zoë <b>" }) });
  assert.match(body, /<p>Signed in as Zoë &lt;b&gt;<\/p>/);
  assert.deepEqual(
    elements(body, "form").map(({ method, action }) => [method, action]),
    [
      ["post", "/logout"],
      ["post", "/account/password"],
    ],
  );
});

test("the home page takes back the notice that it shows, and sets no cookie otherwise", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  const withNotice = { Cookie: `session=${session}; latchkey-notice=password-changed` };
  const told = await gate.send("/", { headers: withNotice });
  assert.deepEqual(
    told.cookies.map((cookie) => cookie.split(";", 1)[0]),
    ["latchkey-notice="],
  );
  assert.ok(told.body.includes(en.passwordIsChanged));
  assert.deepEqual((await gate.send("/", { session })).cookies, []);
});

test("what was recorded a moment ago is on the home page already, newest first", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  assert.deepEqual(activityOf((await gate.send("/", { session })).body), [CREATED]);
  await gate.signIn();
  await gate.signIn();
  const { body } = await gate.send("/", { session });
  assert.deepEqual(activityOf(body), ["owner signed in", "owner signed in", CREATED]);
  assert.ok(body.includes(`<h2>${en.recentActivity}</h2>`));
});

test("a change of the password and a limited address are among what has happened", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  const form = { current_password: OWNER.password, new_password: "a new one" };
  await gate.send("/account/password", {
    session,
    form: { ...form, confirm_password: "a new one" },
  });
  for (let attempt = 1; attempt <= 6; attempt += 1) await gate.signIn({}, { from: "127.0.0.9" });
  assert.deepEqual(activityOf((await gate.send("/", { session })).body), [
    en.someoneWasSlowedDown("127.0.0.9"),
    en.passwordWasChanged,
    CREATED,
  ]);
});

test("of many entries the newest ten are shown", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  const names = Array.from({ length: 14 }, (_, i) => `person ${i}`);
  const rows = names.map((name) => `(1, 'signin', 'Signed in as ${name}', 'system')`);
  execute(gate.databaseFile, `INSERT INTO log_entries (at, type, summary, author) VALUES ${rows}`);
  assert.deepEqual(
    activityOf((await gate.send("/", { session })).body),
    names
      .slice(4)
      .toReversed()
      .map((name) => `${name} signed in`),
  );
});

test("each entry has its time in UTC, and in full for programs", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  const [entry] = await gate.logEntries(1);
  const { body } = await gate.send("/", { session });
  assert.deepEqual(elements(body, "time"), [{ datetime: entry?.at.toISOString() }]);
  assert.match(body, / UTC<\/time>/);
});

test("a name in an entry is escaped", async (t) => {
  const gate = await startGate(t);
  const username = '<img src=x onerror="alert(1)">';
  const { body } = await gate.send("/", { session: await gate.setUp({ username }) });
  assert.ok(
    body.includes("<li>Account &lt;img src=x onerror=&quot;alert(1)&quot;&gt; was created"),
  );
  assert.ok(!body.includes("<img src=x"));
});

test("the home page says that the log cannot be read, is there all the same, and the server log tells why", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  await gate.logEntries(1);
  execute(gate.databaseFile, "ALTER TABLE log_entries RENAME TO hidden");
  const { status, body } = await gate.send("/", { session });
  assert.equal(status, 200);
  assert.ok(body.includes(`<p>${en.activityUnreadable}</p>`));
  assert.doesNotMatch(body, /no such table|<ul/);
  assert.match(body, /action="\/account\/password"/);
  const told = gate.serverLog.find(({ msg }) => /log cannot be read/.test(String(msg)));
  assert.deepEqual([told?.level, told?.reason], ["error", "no such table: log_entries"]);
});

test("entries that cannot be written do not keep the home page from being shown", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  await gate.logEntries(1);
  refuse(gate.databaseFile, "INSERT ON log_entries", "no room");
  await gate.signIn();
  const { status, body } = await gate.send("/", { session });
  assert.deepEqual([status, activityOf(body)], [200, [CREATED]]);
});

/** An application with an account, whose store has been given this form. */
async function homeOf(t: TestContext, options: Parameters<typeof startApp>[1]) {
  const app = await startApp(t, options);
  const { session } = await app.send("/setup", SETUP);
  return { app, answer: await app.send("/", { session }) };
}

test("with a store whose log cannot be read there is no such section at all", async (t) => {
  const { app, answer } = await homeOf(t, { store: memoryStore() });
  assert.equal(answer.status, 200);
  assert.ok(
    !answer.body.includes(en.recentActivity) && !answer.body.includes(en.activityUnreadable),
  );
  assert.match(answer.body, /action="\/account\/password"/);
  assert.deepEqual(app.log, []);
});

test("the home page is for whoever is signed in alone", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const answer = await gate.send("/");
  assert.deepEqual([answer.status, answer.location, answer.body], [303, "/login", ""]);
});
