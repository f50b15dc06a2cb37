import assert from "node:assert/strict";
import { test } from "node:test";
import { getWords } from "../../src/pages/words.ts";
import { addUser } from "../support/add-user.ts";
import { startConfiguredApp } from "../support/app.ts";
import type { Sending } from "../support/client.ts";
import { insertMany, refuse, stopRefusing } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import {
  changeForm,
  OWNER,
  type RunningGate,
  startConfigured,
  startGate,
} from "../support/gate.ts";
import { elements } from "../support/markup.ts";
import { mint, partsOf } from "../support/mint.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { openStore } from "../support/store.ts";

const server = await sharedPostgres();

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0";
const en = getWords("en");

const idOf = (session = ""): string => String(partsOf(session).claims.jti);

/** The values of the buttons that end sessions. */
const offeredIn = (body: string): readonly (string | undefined)[] =>
  elements(body, "button").flatMap(({ name, value }) => (name === "session" ? [value] : []));

const end = (gate: Pick<RunningGate, "send">, session: string, which: string) =>
  gate.send("/account/sessions/end", { session, form: { session: which } });

async function isAdmitted(gate: Pick<RunningGate, "send">, session = ""): Promise<boolean> {
  return (await gate.send("/account/devices", { session })).status === 200;
}

const signOut = (gate: Pick<RunningGate, "send">, sending: Sending) =>
  gate.send("/logout", { form: {}, ...sending });

const signInFrom = async (gate: RunningGate, userAgent: string): Promise<string> =>
  (await gate.signIn({}, { headers: { "User-Agent": userAgent } })).session ?? "";

for (const kind of ["SQLite", "PostgreSQL"] as const) {
  test(`${kind}: lists the sessions, ends one of them, then all others, and logs it`, async (t) => {
    const databaseUrl = kind === "SQLite" ? "" : await server.newStoreDatabase();
    const { gate, session: own } = await startConfigured(t, { databaseUrl });
    const one = await signInFrom(gate, FIREFOX);
    const { body } = await gate.send("/account/devices", { session: own });
    assert.deepEqual(offeredIn(body), [idOf(own), idOf(one), "others"], "this one first");
    assert.equal(body.split(en.thisDevice).length, 2);
    assert.ok(body.indexOf(en.thisDevice) < body.indexOf("Firefox on Linux"));
    assert.ok(body.includes('aria-label="Sign out: Firefox on Linux"'));
    assert.ok(body.includes("127.0.0.1") && body.includes(en.endOtherSessionsNext));
    const german = await gate.send("/account/devices", {
      session: own,
      headers: { "Accept-Language": "de" },
    });
    assert.ok(german.body.includes("Firefox auf Linux"));

    const other = await signInFrom(gate, "");
    const admitted = () =>
      Promise.all([own, one, other].map((session) => isAdmitted(gate, session)));
    const ended = await end(gate, own, idOf(one));
    assert.deepEqual([ended.status, ended.location], [303, "/account/devices"]);
    assert.deepEqual(await admitted(), [true, false, true]);
    const left = offeredIn((await gate.send("/account/devices", { session: own })).body);
    assert.deepEqual(left, [idOf(own), idOf(other), "others"]);
    const unrecorded = mint({ ...partsOf(other).claims, jti: "elsewhere" });
    assert.equal(await isAdmitted(gate, unrecorded), true);
    const alone = await end(gate, own, "others");
    assert.match(String(alone.cookies), /latchkey-notice=othersAreEnded;/);
    assert.deepEqual([alone.status, alone.location], [303, "/account/devices"]);
    assert.deepEqual(await admitted(), [false, false, false]);
    assert.equal(await isAdmitted(gate, unrecorded), false, "a token without a row ends as well");
    const { session = "" } = alone;
    assert.equal((await end(gate, own, "others")).location, "/login", "the old token has ended");
    assert.deepEqual(offeredIn((await gate.send("/account/devices", { session })).body), [
      idOf(session),
    ]);
    assert.equal((await gate.signIn()).location, "/", "a new sign-in works");
    await end(gate, session, idOf(session));
    assert.equal(await isAdmitted(gate, session), false);
    const types = (await gate.logEntries(7)).slice(3).map(({ type, author }) => [type, author]);
    assert.deepEqual(types, [
      ["session_end", "system"],
      ["session_end_others", "system"],
      ["signin", "system"],
      ["session_end", "system"],
    ]);
  });

  test(`${kind}: each of 30 parallel sign-outs of one account ends its session`, async (t) => {
    const databaseUrl = kind === "SQLite" ? "" : await server.newStoreDatabase();
    const { gate, session: own } = await startConfigured(t, { databaseUrl });
    const { user_id, exp } = partsOf(own).claims;
    const sessions = Array.from({ length: 30 }, (_, i) => mint({ user_id, exp, jti: `${i}` }));
    const answers = await Promise.all(sessions.map((session) => signOut(gate, { session })));
    for (const { status, location, cookies } of answers) {
      assert.deepEqual([status, location], [303, "/login"]);
      assert.deepEqual(cookies, ["session=; Path=/; HttpOnly; Max-Age=-1"]);
    }
    const admitted = await Promise.all(sessions.map((session) => isAdmitted(gate, session)));
    assert.ok(!admitted.includes(true), `${admitted.filter(Boolean).length} are still valid`);
    for (const session of [undefined, "", "a.b.c", sessions[0]]) {
      assert.equal((await signOut(gate, { session })).status, 303);
    }
  });
}

test("a sign-out while the store fails counts at once, and says so", async (t) => {
  const { gate, session } = await startConfigured(t);
  const other = await startGate(t, { dataDir: gate.dataDir });
  await gate.logEntries(1);
  assert.equal(await isAdmitted(gate, session), true);
  refuse(gate.databaseFile, "INSERT ON latchkey_sessions", "the disk is full");
  const { status, location, cookies, headers } = await signOut(gate, { session });
  assert.deepEqual([status, location], [303, "/login"]);
  assert.deepEqual(cookies, [
    "session=; Path=/; HttpOnly; Max-Age=-1",
    "latchkey-notice=sessionNotEnded; Path=/; HttpOnly; SameSite=Lax; Max-Age=60",
  ]);
  const line = gate.serverLog.find(({ msg }) => /a session was not ended/.test(String(msg)));
  assert.deepEqual([line?.level, line?.requestId], ["warn", headers["x-request-id"]]);
  const admitted = [await isAdmitted(gate, session), await isAdmitted(other, session)];
  assert.deepEqual(admitted, [false, true]);

  const Cookie = "latchkey-notice=sessionNotEnded";
  const shown = await gate.send("/login", { headers: { Cookie } });
  assert.ok(shown.body.includes(en.notices.sessionNotEnded));
  const cleared = "latchkey-notice=; Path=/; HttpOnly; SameSite=Lax; Max-Age=-1";
  assert.deepEqual(shown.cookies, [cleared]);
  assert.ok(!(await gate.send("/login")).body.includes(en.notices.sessionNotEnded));

  stopRefusing(gate.databaseFile);
  await eventually(async () => ((await isAdmitted(other, session)) ? undefined : true));
});

test("a graceful stop ends the sessions that the store could not end before", async (t) => {
  const { gate, session } = await startConfigured(t);
  refuse(gate.databaseFile, "INSERT ON latchkey_sessions", "the disk is full");
  await signOut(gate, { session });
  stopRefusing(gate.databaseFile);
  await gate.stop();
  const next = await startGate(t, { dataDir: gate.dataDir });
  assert.equal(await isAdmitted(next, session), false);
});

test("a sign-out ends the session with the option sessions.list off", async (t) => {
  const { app, session } = await startConfiguredApp(t, { sessions: { list: false } });
  const { status, cookies } = await signOut(app, { session });
  assert.deepEqual([status, cookies], [303, ["session=; Path=/; HttpOnly; Max-Age=-1"]]);
  assert.equal(await isAdmitted(app, session), false);
});

test("a new sign-in ends the session that its user had in the browser", async (t) => {
  const { gate, session } = await startConfigured(t);
  const guest = addUser(gate, "guest");
  const { session: own = "" } = await gate.signIn({}, { session });
  const wrong = await gate.signIn({ password: "wrong" }, { session: own });
  assert.equal(wrong.location, "/login?error=1");
  const admitted = () => Promise.all([session, own, guest].map((token) => isAdmitted(gate, token)));
  assert.deepEqual(await admitted(), [false, true, true]);
  await gate.signIn({}, { session: guest });
  assert.deepEqual(await admitted(), [false, true, true]);
});

test("a new sign-in works while the session that its browser had cannot be ended", async (t) => {
  const { gate, session } = await startConfigured(t);
  refuse(gate.databaseFile, "INSERT ON latchkey_sessions", "the disk is full");
  const { location, session: own } = await gate.signIn({}, { session });
  assert.equal(location, "/");
  assert.equal(await isAdmitted(gate, own), true);
});

test("the password change ends other sessions only if asked to", async (t) => {
  const { gate, session: own } = await startConfigured(t);
  const other = await signInFrom(gate, FIREFOX);
  const change = (from: string, to: string, more = {}) => {
    const form = { ...changeForm(from, to), ...more };
    return gate.send("/account/password", { session: own, form });
  };
  assert.equal((await change(OWNER.password, "second password")).status, 303);
  assert.equal(await isAdmitted(gate, other), true);
  assert.equal((await change("wrong", "third password", { end_others: "1" })).status, 422);
  assert.equal(await isAdmitted(gate, other), true);
  const asked = await change("second password", "third one", { end_others: "1" });
  assert.equal(asked.status, 303);
  assert.deepEqual([await isAdmitted(gate, own), await isAdmitted(gate, other)], [false, false]);
  assert.equal(await isAdmitted(gate, asked.session), true);
});

test("lists 50 sessions at most, folds all but ten, and says if there are more", async (t) => {
  const { gate, session } = await startConfigured(t);
  const open = async () => (await gate.send("/account/devices", { session })).body;
  await open();
  const columns = "user_id, created_at, used_at, expires_at";
  const insertion = `INSERT INTO latchkey_sessions (id, ${columns}, address, device)
    SELECT n, ${columns}, '', '' FROM latchkey_sessions, numbers WHERE id = '${idOf(session)}'`;
  for (const [from, to, status] of [
    [1, 9, "10 active"],
    [10, 49, "50 active"],
    [50, 50, "50+ active"],
  ] as const) {
    insertMany(gate.databaseFile, from, to, insertion);
    const body = await open();
    assert.ok(body.includes(`>${status}<`), status);
    assert.equal(offeredIn(body).length, Math.min(to, 49) + 2);
    const [shown = "", folded] = body.split(en.showAll);
    assert.equal(offeredIn(shown).filter((value) => value !== "others").length, 10);
    assert.equal(folded !== undefined, to > 9);
    const [list = "", after] = (folded ?? body).split("</ul>");
    assert.ok(!offeredIn(list).includes("others"), "all others are not folded");
    assert.deepEqual(offeredIn(after ?? ""), ["others"]);
  }
});

test("ends no session of another account, an unknown one or none", async (t) => {
  const { gate, session: own } = await startConfigured(t);
  await signInFrom(gate, FIREFOX);
  await gate.send("/account/devices", { session: own });
  const guest = addUser(gate, "guest");
  for (const which of [idOf(own), "unknown", "", "a\0b", "x".repeat(10_000)]) {
    const { status, location } = await end(gate, guest, which);
    assert.deepEqual([status, location], [303, "/account/devices"]);
  }
  const { session = "" } = await end(gate, guest, "others");
  assert.deepEqual([await isAdmitted(gate, own), await isAdmitted(gate, session)], [true, true]);
  const { body } = await gate.send("/account/devices", { session });
  assert.deepEqual(offeredIn(body), [idOf(session)]);
});

test("a sign-in works while sessions cannot be written", async (t) => {
  const store = await openStore(t);
  const { app } = await startConfiguredApp(t, { store });
  t.mock.method(store.sessions, "insert", () => Promise.reject(new Error("broken")));
  assert.equal((await app.send("/login", { form: OWNER })).location, "/");
  await eventually(() => app.log.find(({ message }) => message === "a session was not recorded"));
});
