import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openStore } from "../../src/gate/open-store.ts";
import { readSettings } from "../../src/gate/settings/settings.ts";
import { getWords } from "../../src/pages/words.ts";
import { addKey } from "../support/add-key.ts";
import { ORIGIN } from "../support/authenticator.ts";
import { outputOf } from "../support/command.ts";
import { execute } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { OWNER, type RunningGate, startConfigured, startGate } from "../support/gate.ts";
import { jsonLines } from "../support/json-lines.ts";
import { linkPath } from "../support/link.ts";
import { elements } from "../support/markup.ts";
import { partsOf } from "../support/mint.ts";
import { begunIn, codeShown, turnCodesOn } from "../support/one-time-codes.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { addPasskey, formOfSignIn, SIGN_IN, sender } from "./at-passkeys.ts";
import { BROWSER } from "./forward-auth-asking.ts";

const server = await sharedPostgres();
const en = getWords("en");
const PROVE = "/login?factor=2";
const ENROL = "/account/sign-in";

/** The pages that a session without a required second factor does not open. */
const PAGES = [
  ...["/", "/account/", "/apps"],
  ...["profile", "devices", "keys", "history"].map((name) => `/account/${name}`),
  ...["people", "activity", "apps"].map((name) => `/account/${name}`),
];

type Start = Parameters<typeof startGate>[1];

const required = (t: TestContext, settings: Start = {}) =>
  startConfigured(t, { requireSecondFactor: ["admins"], ...settings });

/** What a proxy is answered for a page: the status, or where the visitor is led. */
async function asked(gate: RunningGate, session: string | undefined, query = "") {
  const { status, location } = await gate.send(`/forward-auth${query}`, {
    session,
    headers: BROWSER,
  });
  return location ?? status;
}

const byKey = (gate: RunningGate, key: string, query = "") =>
  gate.send(`/forward-auth${query}`, { headers: { Authorization: `Bearer ${key}` } });

async function turnOn(gate: RunningGate, session: string) {
  const { key, answer } = await turnCodesOn(gate, session);
  return { key, proven: answer.session ?? "" };
}

/** What a session that lacks a second factor may not do, and where it is led. */
async function assertLocked(gate: RunningGate, session: string, to: string): Promise<void> {
  assert.equal(await asked(gate, session), to);
  assert.equal((await gate.send("/forward-auth", { session })).status, 401, "a script");
  assert.equal((await gate.send("/account/me", { session })).status, 401);
  for (const path of PAGES) assert.equal((await gate.send(path, { session })).location, to, path);
  for (const path of [
    ...["password", "sessions/end", "codes/renew", "codes/off", "passkeys/remove", "keys/add"],
    "people/invite",
  ]) {
    const { location } = await gate.send(`/account/${path}`, { session, form: { key_name: "x" } });
    assert.equal(location, to, path);
  }
}

for (const kind of ["SQLite", "PostgreSQL"] as const) {
  test(`${kind}: the account of the setup turns codes on before all else`, async (t) => {
    const databaseUrl = kind === "SQLite" ? "" : await server.newStoreDatabase();
    const { gate, session } = await required(t, { databaseUrl });
    const same = { databaseUrl, dataDir: gate.dataDir, requireSecondFactor: ["admins"] };
    const other = await startGate(t, same);
    await assertLocked(gate, session, ENROL);
    assert.equal(await asked(other, session), ENROL);
    const page = await gate.send(ENROL, { session });
    assert.equal(page.status, 200);
    assert.ok(page.body.includes(en.factorMissing) && page.body.includes("/account/codes/begin"));
    const actions = elements(page.body, "form").map(({ action }) => action);
    const others = actions.filter((action) => action !== "/logout");
    assert.deepEqual(others, ["/account/codes/begin"], "no other form");

    const { key, proven } = await turnOn(gate, session);
    assert.equal(partsOf(proven).claims.jti, partsOf(session).claims.jti, "the same session");
    for (const one of [gate, other]) {
      assert.equal(await asked(one, proven), 200);
      assert.equal(await asked(one, session), PROVE, "the token from before codes were on");
    }
    const full = await gate.send(ENROL, { session: proven });
    assert.ok(full.body.includes("change-password") && !full.body.includes(en.factorMissing));

    const code = codeShown(key, 1);
    const signedIn = await other.signIn({ code, remember_device: "1" });
    assert.equal(await asked(gate, signedIn.session), 200);
    const [cookie = ""] = signedIn.cookies[0]?.split(";") ?? [];
    const remembered = await gate.signIn({}, { headers: { Cookie: cookie } });
    assert.equal(await asked(other, remembered.session), 200, "of a remembered device");

    await gate.send("/account/codes/off", { session: proven, form: {} });
    assert.equal(await asked(gate, proven), ENROL, "without codes again");
    await turnOn(gate, proven);
    assert.equal(await asked(gate, proven), 200);
  });
}

test("the sign-out works without a second factor, and ends all tokens", async (t) => {
  const { gate, session } = await required(t);
  const { proven } = await turnOn(gate, session);
  await gate.send("/logout", { session, form: {} });
  for (const one of [session, proven]) assert.equal(await asked(gate, one), "/login");
  const all = await required(t);
  const before = all.session;
  const after = (await turnOn(all.gate, before)).proven;
  const others = await all.gate.send("/account/sessions/end", {
    ...{ session: after, form: { session: "others" } },
  });
  assert.equal(await asked(all.gate, others.session), 200, "it stays proven");
  assert.equal(await asked(all.gate, after), "/login");
});

test("an account with a passkey only is not opened by its password", async (t) => {
  const { gate, session } = await required(t, { publicUrl: ORIGIN });
  const to = sender(gate);
  const { passkey, userId, answer: added } = await addPasskey(to, session);
  const toProve = `${ORIGIN}${PROVE}`;
  assert.equal(await asked(gate, added.session), 200);
  const { session: byPassword = "" } = await gate.signIn();
  assert.equal(await asked(gate, byPassword), toProve);
  for (const path of [
    "/account/codes/begin",
    "/account/passkeys/begin",
    "/account/passkeys/remove",
  ]) {
    const { location } = await to.send(path, {}, byPassword);
    assert.equal(location, PROVE, path);
  }
  assert.equal((await gate.send(ENROL, { session: byPassword })).location, PROVE);
  const page = await gate.send(PROVE, { session: byPassword });
  assert.equal(page.body.match(/name="factor" value="2"/g)?.length, 2, "of password and passkey");

  const signedIn = await to.send(SIGN_IN, await formOfSignIn(to, passkey, userId));
  assert.equal(await asked(gate, signedIn.session), 200);
});

test("what was begun without a factor cannot be completed after the account has one", async (t) => {
  const { gate, session } = await required(t);
  const thief = (await gate.signIn()).session ?? "";
  const begun = begunIn((await gate.send("/account/codes/begin", { session, form: {} })).body);
  const passkey = await gate.send("/account/passkeys/begin", {
    ...{ session: thief, form: {}, headers: { Host: "localhost" } },
  });
  assert.equal(passkey.status, 200);
  const form = { sealed: begun.sealed, code: codeShown(begun.key) };
  await gate.send("/account/codes/confirm", { session, form });
  for (const path of ["codes/confirm", "passkeys/add"]) {
    const { location, session: proven } = await gate.send(`/account/${path}`, {
      ...{ session: thief, form },
    });
    assert.deepEqual([location, proven], [PROVE, undefined], path);
  }
});

test("asks members of the groups, or all, and their keys, but no guests", async (t) => {
  const { gate, session } = await startConfigured(t, { requireSecondFactor: ["family"] });
  assert.equal(await asked(gate, session), 200, "not a member");
  const all = await startGate(t, { dataDir: gate.dataDir, requireSecondFactor: ["all"] });
  assert.equal(await asked(all, session), ENROL);
  const [weak, strong] = [await addKey(gate), await addKey(gate, "--factor", "2")];
  for (const query of ["", "?factor=2", "?users=owner"]) {
    assert.equal((await byKey(all, weak, query)).status, 401, query);
    assert.equal((await byKey(all, strong, query)).status, 200, query);
  }
  assert.equal((await byKey(gate, weak)).status, 200);
  const path = await linkPath(gate, "guest", "visitor", "--groups", "family");
  const guest = await all.send(path, { form: {} });
  assert.equal(await asked(all, guest.session, "?groups=family"), 200);
  assert.equal(await asked(all, guest.session, "?groups=family&factor=2"), PROVE);
});

test("a key opens what needs a factor only if its maker had one", async (t) => {
  const { gate, session } = await startConfigured(t);
  const make = async (by: string): Promise<string> => {
    const { body } = await gate.send("/account/keys/add", { session: by, form: { name: "feeds" } });
    return /<code dir="ltr">(latchkey_[^<]+)<\/code>/.exec(body)?.[1] ?? "";
  };
  const weak = await make(session);
  const { proven } = await turnOn(gate, session);
  const [again, strong] = [await make(session), await make(proven)];
  const command = [await addKey(gate), await addKey(gate, "--factor", "2")] as const;
  for (const key of [weak, again, command[0]]) {
    assert.equal((await byKey(gate, key)).status, 200);
    const { status, body, headers } = await byKey(gate, key, "?factor=2");
    assert.equal(status, 401);
    assert.match(body, /^this key was made without a second factor/);
    assert.equal(headers["latchkey-key"], undefined);
    assert.equal(headers["remote-user"], undefined);
  }
  for (const key of [strong, command[1]])
    assert.equal((await byKey(gate, key, "?factor=2")).status, 200);
  const listed = await outputOf(["key", "list", "--json"], { env: { DATA_DIR: gate.dataDir } });
  const factors = jsonLines<{ factors: number }>(listed).map((key) => key.factors);
  assert.deepEqual(factors.sort(), [1, 1, 1, 2, 2]);
  // As those that were made before keys had it.
  execute(gate.databaseFile, "UPDATE latchkey_keys SET factors = NULL");
  const other = await startGate(t, { dataDir: gate.dataDir });
  assert.equal((await byKey(other, strong, "?factor=2")).status, 401);
  assert.equal((await byKey(other, strong)).status, 200);
});

test("the page of the apps that know a user is locked too, where it exists", async (t) => {
  const hosts = { publicUrl: "https://auth.example.test", allowedHosts: ["127.0.0.1"] };
  const { gate, session } = await required(t, hosts);
  const locked = await gate.send("/account/access", { session });
  assert.deepEqual([locked.status, locked.location], [303, ENROL]);
  const { proven } = await turnOn(gate, session);
  assert.equal((await gate.send("/account/access", { session: proven })).status, 200);
});

test("factor=2 asks it for one app", async (t) => {
  const { gate, session } = await startConfigured(t);
  const only = "?factor=2";
  assert.equal(await asked(gate, session), 200);
  assert.equal(await asked(gate, session, only), PROVE);
  assert.equal(await asked(gate, session, "?factor=2&groups=others"), 403, "not admitted anyway");
  for (const wrong of ["?factor=1", "?factor=", "?factor=2x", "?factor", "?Factor=2"])
    assert.equal(await asked(gate, session, wrong), 400, wrong);
  assert.equal(await asked(gate, undefined, only), "/login");
  const page = await gate.send(`${PROVE}&return_to=%2Flogin`, { session });
  assert.ok(page.body.includes(en.factorAbout));
  const links = elements(page.body, "a").map(({ href = "" }) => href);
  const target = links.find((href) => href.endsWith("?return_to=%2Flogin")) ?? "";
  assert.match(target, /^\/account\//);
  const led = await gate.send(target, { session });
  const methods = led.location === undefined ? led : await gate.send(led.location, { session });
  assert.ok(methods.body.includes('action="/account/codes/begin?return_to=%2Flogin"'));
  const wrong = { username: OWNER.username, password: "wrong", again: "1", factor: "2" };
  const again = await gate.send("/login", { form: wrong });
  assert.equal(again.location, "/login?error=1&again=1&factor=2");
  const { key, proven } = await turnOn(gate, session);
  assert.equal(await asked(gate, proven, only), 200);
  assert.equal(await asked(gate, session, only), PROVE);
  const { session: later } = await gate.signIn({ code: codeShown(key, 1) });
  assert.equal(await asked(gate, later, only), 200);
});

test("a factor that an operator removes is missed within a moment", async (t) => {
  const { gate, session } = await required(t);
  const { proven } = await turnOn(gate, session);
  assert.equal(await asked(gate, proven), 200);
  const env = { DATA_DIR: gate.dataDir };
  const { settings } = readSettings({ flags: {}, envFile: undefined, env });
  const store = await openStore(settings, "refuse");
  t.after(() => store.close());
  const owner = await store.users.findByName(OWNER.username);
  assert.ok(owner);
  await store.codes.turnOff(owner.id);
  await eventually(async () => (await asked(gate, proven)) === ENROL || undefined);
});
