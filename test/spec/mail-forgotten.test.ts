import assert from "node:assert/strict";
import { test } from "node:test";
import { getWords } from "../../src/pages/words.ts";
import { addUser } from "../support/add-user.ts";
import type { Answer } from "../support/client.ts";
import { execute, valuesOf } from "../support/database.ts";
import { OWNER, type RunningGate, startConfigured, startGate } from "../support/gate.ts";
import {
  ADA,
  lastOf,
  NEW_PASSWORD as NEW,
  PUBLIC,
  pathOf,
  startMailGate,
} from "../support/mail-gate.ts";
import { readText, startMailServer } from "../support/mail-server.ts";
import { codeShown, turnCodesOn } from "../support/one-time-codes.ts";

const en = getWords("en");
const FORGOT = "/login/forgot";

/** An answer without what differs in each one. */
const shapeOf = ({ status, headers, body }: Answer) => {
  const { date, "x-request-id": _, ...others } = headers;
  assert.ok(date);
  return { status, headers: others, body };
};

const ask = (gate: RunningGate, login: string, from = "127.0.0.1") =>
  gate.send(FORGOT, { form: { login }, from });

const countQueued = ({ databaseFile }: RunningGate): number =>
  Number(valuesOf(databaseFile, "SELECT count(*) FROM latchkey_outbox")[0]?.[0]);

test("answers everybody in the same way", async (t) => {
  const { gate, mail } = await startMailGate(t);
  addUser(gate, "unverified");
  addUser(gate, "ended");
  execute(gate.databaseFile, "UPDATE latchkey_users SET ends_at = 1 WHERE username = 'ended'");
  addUser(gate, "guest");
  execute(
    gate.databaseFile,
    "UPDATE latchkey_users SET password_hash = '' WHERE username = 'guest'",
  );
  const logins = [OWNER.username, ADA, ADA.toUpperCase(), "nobody", "unverified", "ended", "guest"];
  logins.push("", "a\r\nb", "<b>", "x".repeat(3_000), "nobody@example.org");
  const shapes: unknown[] = [];
  for (const [number, login] of logins.entries())
    shapes.push(shapeOf(await ask(gate, login, `127.0.1.${number + 1}`)));
  for (const shape of shapes) assert.deepEqual(shape, shapes[0]);
  const { headers, location, cookies, ...first } = await ask(gate, "nobody", "127.0.1.99");
  assert.deepEqual([first.status, location, first.body], [303, "/login", ""]);
  assert.match(String(cookies), /^latchkey-notice=resetIsSent;/);
  assert.equal(headers["cache-control"], "no-store");
  const page = await gate.send("/login", { headers: { Cookie: "latchkey-notice=resetIsSent" } });
  assert.ok(page.body.includes(en.notices.resetIsSent));
  await mail.waitFor(3);
  for (const { to } of mail.received) assert.deepEqual(to, [ADA]);
  for (const line of gate.serverLog)
    assert.doesNotMatch(JSON.stringify(line), /ada@|unverified|nobody/i);
});

test("says that an address has asked too often, whatever it asks for", async (t) => {
  const { gate, mail } = await startMailGate(t);
  for (const login of ["nobody", OWNER.username, "other", "more", "last"])
    assert.equal((await ask(gate, login)).location, "/login");
  const before = countQueued(gate);
  for (const login of ["nobody", OWNER.username]) {
    const denied = await ask(gate, login);
    assert.deepEqual(
      [denied.status, denied.location, denied.cookies],
      [303, `${FORGOT}?error=1`, []],
    );
  }
  assert.equal(countQueued(gate), before);
  const page = await gate.send(`${FORGOT}?error=1`);
  assert.match(page.body, /role="alert"/);
  assert.equal((await ask(gate, OWNER.username, "127.0.0.2")).location, "/login");
  await mail.waitFor(2);
  // The sign-in has a limit of its own, so nobody can lock others out of it here.
  assert.equal((await gate.signIn()).location, "/");
});

test("the link begins with PUBLIC_URL, whatever a request claims", async (t) => {
  const { gate, mail } = await startMailGate(t, { settings: { trustedProxies: ["127.0.0.1"] } });
  const claims: readonly Readonly<Record<string, string>>[] = [
    { Host: "evil.example" },
    { "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http" },
    { Forwarded: "host=evil.example;proto=http", "X-Original-Host": "evil.example" },
  ];
  for (const headers of claims)
    await gate.send(FORGOT, { form: { login: OWNER.username }, headers });
  await mail.waitFor(claims.length);
  for (const message of mail.received) {
    assert.doesNotMatch(message.source.replaceAll("=\r\n", ""), /evil/);
    assert.ok(pathOf(message).startsWith("/link/"));
    for (const [url] of readText(message).matchAll(/https?:\/\/[^\s]+/g))
      assert.ok(url.startsWith(PUBLIC), url);
  }
});

test("refuses forms from other sites", async (t) => {
  const { gate } = await startMailGate(t);
  for (const headers of [
    { "Sec-Fetch-Site": "cross-site" },
    { Origin: "https://evil.example" },
    { Origin: "null" },
  ]) {
    const refused = await gate.send(FORGOT, { form: { login: OWNER.username }, headers });
    assert.equal(refused.status, 403, JSON.stringify(headers));
  }
  assert.equal(countQueued(gate), 0);
});

test("a form that is no form queues nothing", async (t) => {
  const { gate } = await startMailGate(t);
  const type = { "Content-Type": "application/x-www-form-urlencoded" };
  for (const [body, headers] of [
    ['{"login":"owner"}', { "Content-Type": "application/json" }],
    ["login=%ff", type],
    [`login=${"x".repeat(1_000_000)}`, type],
  ] as const) {
    const { status } = await gate.send(FORGOT, { body, headers });
    assert.ok(status >= 400 && status < 500, String(status));
  }
  for (const method of ["PUT", "DELETE"])
    assert.equal((await gate.send(FORGOT, { method })).status, 405, method);
  assert.equal(countQueued(gate), 0);
});

test("one-time codes stay on after a new password by mail", async (t) => {
  const { gate, session, mail } = await startMailGate(t);
  const { key } = await turnCodesOn(gate, session);
  await mail.waitFor(1);
  await ask(gate, ADA);
  const path = pathOf(await lastOf(mail, 2));
  const reset = await gate.send(path, { form: { password: NEW, confirm: NEW, codes_off: "on" } });
  assert.deepEqual([reset.status, reset.location, reset.session], [303, "/login", undefined]);
  assert.equal((await gate.signIn({ password: NEW })).location, "/login?error=1");
  assert.equal((await gate.signIn({ password: NEW, code: codeShown(key, 1) })).location, "/");
});

test("a GET of the link uses nothing up, and a wrong form neither", async (t) => {
  const { gate, mail } = await startMailGate(t);
  await ask(gate, OWNER.username);
  const path = pathOf(await lastOf(mail, 1));
  for (const method of ["GET", "HEAD", "GET"])
    assert.equal((await gate.send(path, { method })).status, 200);
  const page = await gate.send(path);
  assert.equal(page.headers["referrer-policy"], "no-referrer");
  assert.equal(page.headers["cache-control"], "no-store");
  for (const form of [
    { password: NEW, confirm: "other" },
    { password: "short", confirm: "short" },
  ])
    assert.equal((await gate.send(path, { form })).status, 422);
  const evil = { headers: { Origin: "https://evil.example" } };
  assert.equal(
    (await gate.send(path, { form: { password: NEW, confirm: NEW }, ...evil })).status,
    403,
  );
  assert.equal((await gate.send(path, { form: { password: NEW, confirm: NEW } })).status, 303);
  assert.equal((await gate.send(path)).status, 404);
});

test("without a mail server, there is no such page, and no link to it", async (t) => {
  const { gate } = await startConfigured(t);
  assert.doesNotMatch((await gate.send("/login")).body, /forgot/);
  assert.equal((await gate.send(FORGOT)).status, 404);
  assert.equal((await ask(gate, OWNER.username)).status, 404);
  assert.equal(countQueued(gate), 0);
});

test("before the setup, nobody can ask for a password", async (t) => {
  const mail = await startMailServer(t);
  const gate = await startGate(t, {
    ...{ smtpUrl: mail.url, mailFrom: "home@example.org", publicUrl: PUBLIC },
  });
  for (const answer of [await gate.send(FORGOT), await ask(gate, OWNER.username)])
    assert.deepEqual([answer.status, answer.location], [303, "/setup"]);
  assert.equal(countQueued(gate), 0);
});

test("a person who is signed in can ask, and stays signed in until the link is used", async (t) => {
  const { gate, session, mail } = await startMailGate(t);
  assert.equal((await gate.send(FORGOT, { session, form: { login: ADA } })).status, 303);
  const path = pathOf(await lastOf(mail, 1));
  assert.equal((await gate.send("/account/profile", { session })).status, 200);
  await gate.send(path, { session, form: { password: NEW, confirm: NEW } });
  assert.equal((await gate.send("/account/profile", { session })).status, 303);
});
