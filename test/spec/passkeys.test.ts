import assert from "node:assert/strict";
import { test } from "node:test";
import { getWords } from "../../src/pages/words.ts";
import { startConfiguredApp } from "../support/app.ts";
import { ORIGIN } from "../support/authenticator.ts";
import { execute } from "../support/database.ts";
import { startConfigured, startGate } from "../support/gate.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import {
  ADD,
  addPasskey,
  BEGIN,
  formOfSignIn,
  HOST,
  type Sent,
  SIGN_IN,
  sender,
} from "./at-passkeys.ts";

const { messages } = getWords("en");
const server = await sharedPostgres();
const RENAME = "/account/passkeys/rename";
const REMOVE = "/account/passkeys/remove";

test("adds a passkey, signs in with it, and removes it", async (t) => {
  const { gate, session } = await startConfigured(t);
  const to = sender(gate);
  const { passkey, userId, answer } = await addPasskey(to, session);
  assert.deepEqual([answer.status, answer.location], [303, "/account/sign-in"]);
  assert.match(String(answer.cookies), /latchkey-notice=passkeyIsAdded;/);
  const form = await formOfSignIn(to, passkey, userId);
  const signedIn = await to.send(SIGN_IN, form);
  assert.deepEqual([signedIn.status, signedIn.location], [303, "/"]);
  assert.equal((await gate.send("/account/sign-in", { session: signedIn.session })).status, 200);
  assert.equal((await to.send(SIGN_IN, form)).location, "/login?error=1", "only once");

  const later = await formOfSignIn(to, passkey, userId);
  const removed = await to.send(REMOVE, { passkey: passkey.id }, session);
  assert.deepEqual([removed.status, removed.location], [303, "/account/sign-in"]);
  const refused = await to.send(SIGN_IN, later);
  assert.deepEqual([refused.location, refused.cookies], ["/login?error=1", []]);
  const types = (await gate.logEntries(4)).map(({ type }) => type);
  assert.deepEqual(types, ["signup", "passkey_add", "signin", "passkey_remove"]);
});

test("answers a challenge as JSON that no cache keeps, and does not count it", async (t) => {
  const { gate } = await startConfigured(t);
  for (let asked = 0; asked < 7; asked += 1) {
    const { status, headers, body } = await sender(gate).send(SIGN_IN, {});
    assert.equal(status, 200);
    const told = [headers["content-type"], headers["cache-control"]];
    assert.deepEqual(told, ["application/json", "no-store"]);
    assert.deepEqual(Object.keys(JSON.parse(body)), ["challenge", "rpId"]);
  }
  assert.equal((await gate.signIn()).location, "/");
});

for (const limiter of ["own", "shared"] as const) {
  test(`with the ${limiter} limiter, passkeys and passwords count apart`, async (t) => {
    const databaseUrl = limiter === "shared" ? await server.newStoreDatabase() : undefined;
    const network = { limitIpv6Prefix: 64, trustedProxies: ["127.0.0.1"] };
    const overrides = { limiter, databaseUrl, ...network };
    const gate = await startGate(t, overrides);
    const to = sender(gate);
    const { passkey, userId } = await addPasskey(to, await gate.setUp());
    const other = databaseUrl === undefined ? gate : await startGate(t, overrides);
    const from = (host: number) => ({ "X-Forwarded-For": `2001:db8::${host}` });
    for (let host = 1; host <= 5; host += 1) {
      await to.send(SIGN_IN, { credential: "unknown" }, undefined, from(host));
    }
    const right = await formOfSignIn(to, passkey, userId);
    const sixth = await sender(other).send(SIGN_IN, right, undefined, from(6));
    assert.equal(sixth.location, "/login?error=1", "all of one network count");
    for (let host = 1; host <= 5; host += 1) {
      const headers = from(host);
      assert.equal((await gate.signIn({}, { headers })).location, "/", "the password still works");
    }
    const elsewhere = { "X-Forwarded-For": "2001:db8:1::1" };
    assert.equal((await to.send(SIGN_IN, right, undefined, elsewhere)).location, "/");
    const entries = (await gate.logEntries(8)).map(({ type }) => type);
    assert.equal(entries.filter((type) => type === "signin_rate_limited").length, 1);
  });
}

test("the host is that of the public URL, and a forwarded host has no effect", async (t) => {
  const { gate, session } = await startConfigured(t, { publicUrl: ORIGIN });
  const elsewhere: Sent = {
    send: (path, form, cookie) =>
      sender(gate).send(path, form, cookie, {
        Host: "inside.example",
        "X-Forwarded-Host": "evil.example",
      }),
  };
  const { passkey, userId } = await addPasskey(elsewhere, session);
  const form = await formOfSignIn(elsewhere, passkey, userId);
  assert.equal((await elsewhere.send(SIGN_IN, form)).location, "/");

  const plain = await startGate(t);
  const forwarded = await sender(plain).send(BEGIN, {}, await plain.setUp(), {
    "X-Forwarded-Host": "evil.example",
  });
  assert.equal(JSON.parse(forwarded.body).rpId, HOST.Host);
});

test("at an address without a name, adds no passkey and asks for none", async (t) => {
  const { gate, session } = await startConfigured(t);
  const challenge = await gate.send(SIGN_IN, { form: {} });
  assert.deepEqual(Object.keys(JSON.parse(challenge.body)), ["challenge"]);
  for (const path of [BEGIN, ADD]) {
    const add = await gate.send(path, { session, form: {} });
    assert.equal(add.status, 422);
    assert.ok(add.body.includes(messages.passkeyRejected));
  }
});

test("answers the script with a message if the account has too many", async (t) => {
  const { gate, session } = await startConfigured(t);
  const many = Array.from({ length: 20 }, (_, at) => `('${at}')`);
  execute(
    gate.databaseFile,
    `WITH many (passkey) AS (VALUES ${many})
     INSERT INTO latchkey_passkeys SELECT passkey, id, 'Phone', '', 0, 0, NULL FROM latchkey_users, many`,
  );
  const full = await sender(gate).send(BEGIN, {}, session);
  assert.deepEqual([full.status, JSON.parse(full.body).message], [422, messages.tooMany]);
});

test("without pages of the account, a change leads to the post-login location", async (t) => {
  const { app, session } = await startConfiguredApp(t, {
    homePath: null,
    postLoginLocation: "/start",
  });
  const to = sender(app);
  const { passkey, answer } = await addPasskey(to, session);
  assert.deepEqual([answer.status, answer.location], [303, "/start"]);
  const removed = await to.send(REMOVE, { passkey: passkey.id }, session);
  assert.deepEqual([removed.status, removed.location], [303, "/start"]);
});

test("renames a passkey, with a name that is never empty", async (t) => {
  const { gate, session } = await startConfigured(t);
  const to = sender(gate);
  const { passkey } = await addPasskey(to, session);
  for (const [entered, shown] of [
    [" <Key> ", "&lt;Key&gt;"],
    ["ü".repeat(127), "ü".repeat(127)],
    ["", "Passkey"],
  ] as const) {
    const form = { passkey: passkey.id, name: entered };
    const { status, location, cookies } = await to.send(RENAME, form, session);
    assert.deepEqual([status, location], [303, "/account/sign-in"]);
    assert.match(String(cookies), /^latchkey-notice=passkeyIsRenamed;/);
    const { body } = await gate.send("/account/sign-in", { session, headers: HOST });
    assert.ok(body.includes(`<bdi>${shown}</bdi>`), shown);
  }
  for (const name of ["ü".repeat(128), "a\0b", "a\u202eb"]) {
    const refused = await to.send(RENAME, { passkey: passkey.id, name }, session);
    assert.equal(refused.status, 422);
    assert.match(refused.body, /A name has up to 255 bytes and no control characters/);
  }
  const unknown = await to.send(RENAME, { passkey: "x", name: "y" }, session);
  assert.deepEqual([unknown.status, unknown.cookies], [303, []]);
});
