import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Store } from "../../src/core/store.ts";
import type { PageFunctions } from "../../src/web/pages/page-data.ts";
import { wordsIn } from "../../src/web/pages/words.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { startApp } from "../support/app.ts";
import { execute, refuse } from "../support/database.ts";
import { OWNER, startGate } from "../support/gate.ts";
import { activityOf, elements } from "../support/markup.ts";
import { openStore } from "../support/store.ts";

const en = wordsIn("en");
const CREATED = "Account owner was created";
const SETUP = { form: { ...OWNER, confirm: OWNER.password } };

test("shows the signed-in user, a sign-out button and the password form", async (t) => {
  const gate = await startGate(t);
  const { body } = await gate.send("/", { session: await gate.setUp({ username: "Zoë <b>" }) });
  assert.match(body, /<p>Signed in as Zoë &lt;b&gt;<\/p>/);
  assert.deepEqual(
    elements(body, "form").map(({ method, action }) => [method, action]),
    [
      ["post", "/logout"],
      ["post", "/account/password"],
      ["post", "/account/sessions/end"],
      ["post", "/account/codes/begin"],
    ],
  );
});

test("clears the notice cookie that it shows and sets no other cookie", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  const withNotice = { Cookie: `session=${session}; latchkey-notice=password-changed` };
  const shown = await gate.send("/", { headers: withNotice });
  assert.deepEqual(
    shown.cookies.map((cookie) => cookie.split(";", 1)[0]),
    ["latchkey-notice="],
  );
  assert.ok(shown.body.includes(en.passwordIsChanged));
  assert.deepEqual((await gate.send("/", { session })).cookies, []);
});

test("shows recent log entries immediately, newest first", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  assert.deepEqual(activityOf((await gate.send("/", { session })).body), [CREATED]);
  await gate.signIn();
  await gate.signIn();
  const { body } = await gate.send("/", { session });
  assert.deepEqual(activityOf(body), ["owner signed in", "owner signed in", CREATED]);
  assert.ok(body.includes(`<h2>${en.recentActivity}</h2>`));
});

test("lists password changes and rate-limited addresses", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  const form = { current_password: OWNER.password, new_password: "a new one" };
  await gate.send("/account/password", {
    session,
    form: { ...form, confirm_password: "a new one" },
  });
  for (let attempt = 1; attempt <= 6; attempt += 1) await gate.signIn({}, { from: "127.0.0.9" });
  assert.deepEqual(activityOf((await gate.send("/", { session })).body), [
    en.events.signin_rate_limited("127.0.0.9"),
    en.events.password_change(),
    CREATED,
  ]);
});

test("shows the newest ten of many entries", async (t) => {
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

test("shows each entry's time in UTC, with a machine-readable timestamp", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  const [entry] = await gate.logEntries(1);
  const { body } = await gate.send("/", { session });
  assert.deepEqual(elements(body, "time").at(-1), { datetime: entry?.at.toISOString() });
  assert.match(body, / UTC<\/time>/);
});

test("escapes the username in an entry", async (t) => {
  const gate = await startGate(t);
  const username = '<img src=x onerror="alert(1)">';
  const { body } = await gate.send("/", { session: await gate.setUp({ username }) });
  assert.ok(
    body.includes("<li>Account &lt;img src=x onerror=&quot;alert(1)&quot;&gt; was created"),
  );
  assert.ok(!body.includes("<img src=x"));
});

test("still renders when the log cannot be read, says so, and logs the cause", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  await gate.logEntries(1);
  execute(gate.databaseFile, "ALTER TABLE log_entries RENAME TO hidden");
  const { status, body } = await gate.send("/", { session });
  assert.equal(status, 200);
  assert.ok(body.includes(`<p>${en.activityUnreadable}</p>`));
  assert.doesNotMatch(body, /no such table|class="activity"/);
  assert.match(body, /action="\/account\/password"/);
  const shown = gate.serverLog.find(({ msg }) => /log cannot be read/.test(String(msg)));
  assert.deepEqual([shown?.level, shown?.reason], ["error", "no such table: log_entries"]);
});

test("renders even if log entries cannot be written", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  await gate.logEntries(1);
  refuse(gate.databaseFile, "INSERT ON log_entries", "no room");
  await gate.signIn();
  const { status, body } = await gate.send("/", { session });
  assert.deepEqual([status, activityOf(body)], [200, [CREATED]]);
});

/** Returns the home page of an application that has one account and uses these options. */
async function openHome(t: TestContext, options: Parameters<typeof startApp>[1]) {
  const app = await startApp(t, options);
  const { session } = await app.send("/setup", SETUP);
  return { app, answer: await app.send("/", { session }) };
}

test("omits the activity section if the store has no log reader", async (t) => {
  const { app, answer } = await openHome(t, { store: memoryStore() });
  assert.equal(answer.status, 200);
  assert.ok(
    !answer.body.includes(en.recentActivity) && !answer.body.includes(en.activityUnreadable),
  );
  assert.match(answer.body, /action="\/account\/password"/);
  assert.deepEqual(app.log, []);
});

test("a replaced home page gets what each section shows", async (t) => {
  const kinds: PageFunctions["home"] = ({ activity, codes, passkeys, sessions }) =>
    JSON.stringify([activity.kind, codes.kind, passkeys?.list, sessions.kind]);
  const pages = { home: kinds };
  const all = await openHome(t, { pages });
  assert.deepEqual(JSON.parse(all.answer.body), ["entries", "off", null, "sessions"]);
  const bare = await openHome(t, { pages, store: memoryStore() });
  assert.deepEqual(JSON.parse(bare.answer.body), ["none", "none", null, "none"]);
});

for (const [options, reads] of [
  [{ oneTimeCodes: false, passkeys: false }, 0],
  [{ oneTimeCodes: false }, 1],
  [{ passkeys: false }, 1],
  [{}, 1],
] as const) {
  test(`reads codes and passkeys ${reads} times with ${JSON.stringify(options)}`, async (t) => {
    const sqlite = await openStore(t);
    let asked = 0;
    const store: Store = {
      ...sqlite,
      findUser(id) {
        asked += 1;
        return sqlite.findUser(id);
      },
    };
    const app = await startApp(t, { ...options, store });
    const { session } = await app.send("/setup", SETUP);
    await app.send("/", { session });
    const before = asked;
    assert.equal((await app.send("/", { session })).status, 200);
    assert.equal(asked - before, reads);
  });
}

test("requires a signed-in user", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  for (const path of ["/", "/account/"]) {
    const answer = await gate.send(path);
    assert.deepEqual([answer.status, answer.location, answer.body], [303, "/login", ""]);
  }
});

test("says that there is no activity yet if the log is empty", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  await gate.logEntries(1);
  execute(gate.databaseFile, "DELETE FROM log_entries");
  const { body } = await gate.send("/", { session });
  assert.ok(body.includes(`<p class="hint">${en.noActivity}</p>`));
  assert.doesNotMatch(body, /class="activity"/);
});

for (const options of [
  {},
  { homePath: "/me", forwardAuth: true },
  { homePath: null, forwardAuth: true },
]) {
  test(`leaves /account/ to an application with ${JSON.stringify(options)}`, async (t) => {
    const app = await startApp(t, options);
    assert.equal((await app.send("/account/")).status, 404);
    assert.equal(app.auth.adapter.owns("/account/"), false);
  });
}

test("the password form is folded until it is wanted or has a problem", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  const [folded] = elements((await gate.send("/", { session })).body, "details");
  const { body } = await gate.send("/account/password", { session, form: {} });
  const [open] = elements(body, "details");
  assert.deepEqual([folded, open], [{}, { open: "" }]);
});
