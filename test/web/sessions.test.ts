import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { wordsIn } from "../../src/web/pages/words.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { startApp } from "../support/app.ts";
import { execute } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { OWNER, type RunningGate, startConfigured, startGate } from "../support/gate.ts";
import { elements } from "../support/markup.ts";
import { inSeconds, mint, partsOf } from "../support/mint.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";

const server = await sharedPostgres();

type Start = (t: TestContext, settings?: Parameters<typeof startGate>[1]) => Promise<RunningGate>;

const stores: Readonly<Record<string, Start>> = {
  SQLite: (t, settings) => startGate(t, settings),
  PostgreSQL: async (t, settings) =>
    startGate(t, { ...settings, databaseUrl: await server.newDatabase() }),
};

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0";
const en = wordsIn("en");

const idOf = (session = ""): string => String(partsOf(session).claims.jti);

/** The values of the buttons that end sessions. */
const offeredIn = (body: string): readonly (string | undefined)[] =>
  elements(body, "button").flatMap(({ name, value }) => (name === "session" ? [value] : []));

const end = (gate: Pick<RunningGate, "send">, session: string, which: string) =>
  gate.send("/account/sessions/end", { session, form: { session: which } });

async function isAdmitted(gate: Pick<RunningGate, "send">, session = ""): Promise<boolean> {
  return (await gate.send("/", { session })).status === 200;
}

const signInFrom = async (gate: RunningGate, userAgent: string): Promise<string> =>
  (await gate.signIn({}, { headers: { "User-Agent": userAgent } })).session ?? "";

for (const [name, start] of Object.entries(stores)) {
  test(`${name}: lists the sessions, ends one of them, then all others, and logs it`, async (t) => {
    const gate = await start(t);
    const own = await gate.setUp();
    const one = await signInFrom(gate, FIREFOX);
    const { body } = await gate.send("/", { session: own });
    assert.deepEqual(offeredIn(body), [idOf(own), idOf(one), "others"], "this one first");
    assert.equal(body.split(en.thisDevice).length, 2);
    assert.ok(body.indexOf(en.thisDevice) < body.indexOf("Firefox on Linux"));
    assert.ok(body.includes('aria-label="Sign out: Firefox on Linux"'));
    assert.ok(body.includes("127.0.0.1"));
    const german = await gate.send("/", { session: own, headers: { "Accept-Language": "de" } });
    assert.ok(german.body.includes("Firefox auf Linux"));

    const other = await signInFrom(gate, "");
    const admitted = () =>
      Promise.all([own, one, other].map((session) => isAdmitted(gate, session)));
    const ended = await end(gate, own, idOf(one));
    assert.deepEqual([ended.status, ended.location, ended.cookies], [303, "/account/", []]);
    assert.deepEqual(await admitted(), [true, false, true]);
    const left = offeredIn((await gate.send("/", { session: own })).body);
    assert.deepEqual(left, [idOf(own), idOf(other), "others"]);
    assert.equal((await end(gate, own, "others")).location, "/account/");
    assert.deepEqual(await admitted(), [true, false, false]);
    assert.deepEqual(offeredIn((await gate.send("/", { session: own })).body), [idOf(own)]);
    assert.equal((await gate.signIn()).location, "/", "a new sign-in works");
    await end(gate, own, idOf(own));
    assert.equal(await isAdmitted(gate, own), false);
    assert.deepEqual(
      (await gate.logEntries(7)).slice(3).map(({ type, author }) => [type, author]),
      [
        ["session_end", "system"],
        ["session_end_others", "system"],
        ["signin", "system"],
        ["session_end", "system"],
      ],
    );
  });

  test(`${name}: with SIGN_OUT=session a copied token ends with the sign-out`, async (t) => {
    const gate = await start(t, { signOut: "session" });
    const session = await gate.setUp();
    const elsewhere = mint({ ...partsOf(session).claims, jti: "elsewhere", iat: inSeconds(-9) });
    for (const token of [session, elsewhere]) {
      assert.equal(await isAdmitted(gate, token), true);
      const { status, location, cookies } = await gate.send("/logout", {
        session: token,
        form: {},
      });
      assert.deepEqual([status, location], [303, "/login"]);
      assert.match(cookies[0] ?? "", /^session=;/);
      assert.equal(await isAdmitted(gate, token), false);
    }
    assert.equal((await gate.logEntries(3))[2]?.type, "session_end");
    for (const token of [undefined, "", "a.b.c", elsewhere]) {
      assert.equal((await gate.send("/logout", { session: token, form: {} })).status, 303);
    }
  });
}

test("a sign-out clears the cookie only by default", async (t) => {
  const { gate, session } = await startConfigured(t);
  assert.equal((await gate.send("/logout", { session, form: {} })).location, "/login");
  assert.equal(await isAdmitted(gate, session), true);
});

test("the password change ends other sessions only if asked to", async (t) => {
  const { gate, session: own } = await startConfigured(t);
  const other = await signInFrom(gate, FIREFOX);
  const change = (from: string, to: string, more = {}) => {
    const form = { current_password: from, new_password: to, confirm_password: to, ...more };
    return gate.send("/account/password", { session: own, form });
  };
  assert.equal((await change(OWNER.password, "second password")).status, 303);
  assert.equal(await isAdmitted(gate, other), true);
  assert.equal((await change("wrong", "third password", { end_others: "1" })).status, 422);
  assert.equal(await isAdmitted(gate, other), true);
  assert.equal((await change("second password", "third one", { end_others: "1" })).status, 303);
  assert.deepEqual([await isAdmitted(gate, own), await isAdmitted(gate, other)], [true, false]);
});

test("ends no session of another account, an unknown one or none", async (t) => {
  const { gate, session: own } = await startConfigured(t);
  await signInFrom(gate, FIREFOX);
  await gate.send("/", { session: own });
  execute(
    gate.databaseFile,
    `INSERT INTO users (id, username, password_hash) VALUES ('2', 'guest', 'a hash')`,
  );
  const guest = mint({ user_id: "2", jti: "of guest", exp: inSeconds(3_600) });
  for (const which of [idOf(own), "unknown", "", "a\0b", "x".repeat(10_000)]) {
    const { status, location } = await end(gate, guest, which);
    assert.deepEqual([status, location], [303, "/account/"]);
  }
  await end(gate, guest, "others");
  assert.deepEqual([await isAdmitted(gate, own), await isAdmitted(gate, guest)], [true, true]);
  const { body } = await gate.send("/", { session: guest });
  assert.deepEqual(offeredIn(body), ["of guest"]);
});

test("a token without an ID stays valid, and ends with all others only", async (t) => {
  const { gate, session } = await startConfigured(t);
  const token = mint({ user_id: partsOf(session).claims.user_id, exp: inSeconds(60) });
  await end(gate, session, "others");
  assert.equal(await isAdmitted(gate, token), true);
});

test("the home page works while sessions cannot be read, and a sign-in while they cannot be written", async (t) => {
  const { gate, session } = await startConfigured(t);
  execute(gate.databaseFile, "ALTER TABLE sessions RENAME TO hidden");
  assert.equal((await gate.signIn()).location, "/");
  const { status, body } = await gate.send("/", { session });
  assert.equal(status, 200);
  assert.ok(body.includes(en.sessionsUnreadable));
  assert.match(body, /action="\/account\/password"/);
  const messages = await eventually(async () => {
    const found = gate.serverLog.map(({ msg }) => msg);
    return found.includes("a session was not recorded") ? found : undefined;
  });
  assert.ok(messages.includes("the sessions cannot be listed"));
});

for (const [what, options] of [
  ["a store that keeps no sessions", { store: memoryStore() }],
  ["the option sessions off", { sessions: false }],
] as const) {
  test(`refuses signOut: "session" with ${what}`, async (t) => {
    await assert.rejects(startApp(t, { ...options, signOut: "session" }), /signOut takes session/);
  });
}
