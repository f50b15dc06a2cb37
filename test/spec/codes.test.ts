import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { getWords } from "../../src/pages/words.ts";
import { startConfiguredApp } from "../support/app.ts";
import { execute } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type RunningGate, startConfigured, startGate } from "../support/gate.ts";
import { activityOf, alertsIn, elements, fieldNamed } from "../support/markup.ts";
import { begunIn, codeShown, turnCodesOn } from "../support/one-time-codes.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { openStore } from "../support/store.ts";

const en = getWords("en");
const server = await sharedPostgres();

async function turnOn(gate: RunningGate, session: string) {
  const { key, answer } = await turnCodesOn(gate, session);
  const shown = answer.body.matchAll(/<code dir="ltr">([\d-]+)<\/code>/g);
  const recoveryCodes = [...shown].map(([, one = ""]) => one);
  assert.equal(recoveryCodes.length, 10);
  return { key, recoveryCodes };
}

async function withCodes(t: TestContext, settings: Parameters<typeof startGate>[1] = {}) {
  const { gate, session } = await startConfigured(t, settings);
  return { gate, session, ...(await turnOn(gate, session)) };
}

const hasCodeField = ({ body }: { readonly body: string }): boolean =>
  elements(body, "input").some(({ name }) => name === "code");

for (const kind of ["SQLite", "PostgreSQL"] as const) {
  test(`${kind}: turns codes on, signs in with them, and turns them off`, async (t) => {
    const databaseUrl = kind === "SQLite" ? "" : await server.newStoreDatabase();
    const { gate, session, key, recoveryCodes } = await withCodes(t, { databaseUrl });
    const { required, value, ...field } = fieldNamed((await gate.send("/login")).body, "code");
    const attributes = [field.autocomplete, field.inputmode, required, value];
    assert.deepEqual(attributes, ["one-time-code", "numeric", undefined, undefined]);
    const wrong = await gate.signIn();
    assert.deepEqual([wrong.status, wrong.location, wrong.cookies], [303, "/login?error=1", []]);
    const failed = await gate.send("/login?error=1");
    assert.ok(failed.body.includes(en.codeSignInFailed));
    const right = await gate.signIn({ code: codeShown(key, 1) });
    assert.equal(right.location, "/");
    assert.notEqual(right.session, undefined);
    const [recoveryCode = ""] = recoveryCodes;
    assert.equal((await gate.signIn({ code: recoveryCode })).location, "/");
    assert.equal((await gate.signIn({ code: recoveryCode })).location, "/login?error=1");

    const history = async () => (await gate.send("/account/history", { session })).body;
    await eventually(async () => {
      const isShown = (await history()).includes(en.events.code_rejected("owner"));
      return isShown || undefined;
    });
    const page = await gate.send("/account/sign-in", { session });
    assert.ok(page.body.includes(en.recoveryCodesLeft("9")));
    const off = await gate.send("/account/codes/off", { session, form: {} });
    assert.deepEqual([off.status, off.location], [303, "/account/sign-in"]);
    assert.match(String(off.cookies), /^latchkey-notice=codesAreOff;/);
    assert.equal(hasCodeField(await gate.send("/login")), false);
    assert.equal((await gate.signIn()).location, "/");
    assert.deepEqual(activityOf(await history()).slice(0, 7), [
      "owner signed in",
      "One-time codes of owner were turned off",
      en.events.code_rejected("owner"),
      "owner signed in",
      "owner used a recovery code",
      "owner signed in",
      "owner turned on one-time codes",
    ]);
  });

  test(`${kind}: the other instance shows the field and asks for a code`, async (t) => {
    const databaseUrl = kind === "SQLite" ? "" : await server.newStoreDatabase();
    const { gate: one, session } = await startConfigured(t, { databaseUrl });
    const other = await startGate(t, { databaseUrl, dataDir: one.dataDir });
    assert.equal(hasCodeField(await other.send("/login")), false);
    const { key } = await turnOn(one, session);
    assert.equal(hasCodeField(await one.send("/login")), true);
    await eventually(async () => hasCodeField(await other.send("/login")) || undefined);
    assert.equal((await other.signIn()).location, "/login?error=1");
    assert.equal((await other.signIn({ code: codeShown(key, 1) })).location, "/");
  });
}

test("stores nothing before a code confirms it", async (t) => {
  const { gate, session } = await startConfigured(t);
  const begun = await gate.send("/account/codes/begin", { session, form: {} });
  assert.match(begun.headers["cache-control"] ?? "", /no-store/);
  assert.match(begun.body, /<svg class="qr"[^>]*role="img" aria-labelledby="scan"/);
  const link = /href="otpauth:\/\/totp\/Latchkey:owner\?secret=[A-Z2-7]{32}&amp;issuer=Latchkey"/;
  assert.match(begun.body, link);
  assert.match(
    begun.body,
    /<code dir="ltr">[A-Z2-7]{4}( [A-Z2-7]{4}){7}<\/code>/,
    "in groups of four",
  );
  assert.equal((await gate.signIn()).location, "/");
});

test("shows one problem at the field of a rejected form, and keeps the key", async (t) => {
  const { gate, session } = await startConfigured(t);
  const { body } = await gate.send("/account/codes/begin", { session, form: {} });
  const { key, sealed } = begunIn(body);
  const form = { sealed, code: "000" };
  const confirm = await gate.send("/account/codes/confirm", { session, form });
  assert.equal(confirm.status, 422);
  assert.deepEqual(alertsIn(confirm.body), [en.messages.codeIncorrect]);
  assert.deepEqual(begunIn(confirm.body), { key, sealed });

  const forged = await gate.send("/account/codes/confirm", { session, form: { sealed: "x" } });
  assert.equal(forged.status, 422);
  assert.deepEqual(alertsIn(forged.body), [en.messages.codesNotBegun]);
  const section = forged.body.slice(forged.body.indexOf('<h2 id="codes">'));
  assert.deepEqual(alertsIn(section.split("</section>")[0] ?? ""), [en.messages.codesNotBegun]);
});

test("replaces recovery codes without turning codes off", async (t) => {
  const { gate, session, recoveryCodes } = await withCodes(t);
  const renewed = await gate.send("/account/codes/renew", { session, form: {} });
  assert.ok(renewed.body.includes(en.notices.recoveryCodesAreNew));
  assert.match(renewed.body, /For 127\.0\.0\.1:\d+, \d{4}-\d\d-\d\d \d\d:\d\d UTC, owner</);
  const [fresh = ""] = renewed.body.match(/\d{5}(?:-\d{5}){4}/g) ?? [];
  assert.ok(!recoveryCodes.includes(fresh));
  assert.equal((await gate.signIn({ code: recoveryCodes[0] ?? "" })).location, "/login?error=1");
  assert.equal((await gate.signIn({ code: fresh })).location, "/");
  const entries = (await gate.logEntries(5)).map(({ type }) => type);
  assert.ok(entries.includes("recovery_codes_new"));

  await gate.send("/account/codes/off", { session, form: {} });
  const off = await gate.send("/account/codes/renew", { session, form: {} });
  assert.deepEqual([off.status, off.location], [303, "/account/sign-in"]);
});

test("shows new codes without reading the log, and a second tab leads to the page", async (t) => {
  const { gate, session } = await startConfigured(t);
  const second = await gate.send("/account/codes/begin", { session, form: {} });
  const { key, sealed } = begunIn(second.body);
  execute(gate.databaseFile, "ALTER TABLE latchkey_log RENAME TO hidden");
  await turnOn(gate, session);
  const late = { sealed, code: codeShown(key) };
  const confirm = await gate.send("/account/codes/confirm", { session, form: late });
  assert.deepEqual([confirm.status, confirm.location], [303, "/account/sign-in"]);
  const begin = await gate.send("/account/codes/begin", { session, form: {} });
  assert.deepEqual([begin.status, begin.location], [303, "/account/sign-in"]);
  await gate.send("/account/codes/off", { session, form: {} });
  assert.equal((await gate.send("/account/codes/off", { session, form: {} })).status, 303);
});

test("a form of a removed account leads to the sign-in page", async (t) => {
  const store = await openStore(t);
  const { app, session } = await startConfiguredApp(t, { store });
  await app.send("/account/sign-in", { session });
  // The guard still remembers the account for a moment.
  t.mock.method(store.users, "findActive", async () => undefined);
  for (const name of ["begin", "confirm"]) {
    const form = { code: "123456" };
    const { status, location } = await app.send(`/account/codes/${name}`, { session, form });
    assert.deepEqual([status, location], [303, "/login"], name);
  }
});
