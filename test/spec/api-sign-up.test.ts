import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createClient } from "../../src/client/index.ts";
import type { SignUpPolicy } from "../../src/index.ts";
import { github } from "../../src/providers.ts";
import { NOT_FOUND } from "../adapters/framework.ts";
import { type RunningApp, startApp, startConfiguredApp } from "../support/app.ts";
import type { Answer, Sending } from "../support/client.ts";
import { OWNER, startConfigured } from "../support/gate.ts";
import { type MailServer, readLink, readText, startMailServer } from "../support/mail-server.ts";
import type { AppOptions } from "../support/options.ts";
import { openStore, openStoreAround, summariesIn } from "../support/store.ts";

const PUBLIC = "https://home.example.org";
const JSON_TYPE = { "Content-Type": "application/json" };
const NEW = { username: "bob", password: "battery staple", confirm: "battery staple" } as const;
const OPEN: SignUpPolicy = { mode: "open", domains: ["example.org"] };

const optionsFor = (mail: MailServer, signUp: SignUpPolicy): AppOptions => ({
  api: true,
  hosts: { publicUrl: PUBLIC },
  mail: { url: mail.url, from: "home@example.org" },
  signIn: { signUp },
});

async function start(t: TestContext, signUp: SignUpPolicy, others: AppOptions = {}) {
  const mail = await startMailServer(t);
  const started = await startConfiguredApp(t, { ...optionsFor(mail, signUp), ...others });
  return { ...started, mail };
}

const ask = (app: RunningApp, email: unknown, sending: Sending = {}): Promise<Answer> =>
  app.send("/api/sign-up", {
    ...sending,
    body: JSON.stringify({ email }),
    headers: { ...JSON_TYPE, ...sending.headers },
  });

const shown = ({ status, body }: Answer): readonly [number, unknown] => [status, JSON.parse(body)];

const SENT = [200, { sent: true }] as const;
const refused = (error: string) => [422, { error, fields: ["email"] }] as const;

/** A store, and the names of what was put into its outbox. */
async function openWatched(t: TestContext) {
  const written: string[] = [];
  const store = await openStoreAround(t, (name, run) => {
    if (name === "outbox.insert") written.push(name);
    return run();
  });
  return { store, written };
}

/** The path of the link in the message that arrives as this one. */
async function readPath(mail: MailServer, count: number): Promise<string> {
  const message = (await mail.waitFor(count)).at(count - 1);
  assert.ok(message);
  return readLink(message).slice(PUBLIC.length);
}

test("open: the link in the message makes an account, once", async (t) => {
  const { app, mail } = await start(t, OPEN);
  const asked = await ask(app, " bob@example.org ");
  assert.deepEqual(shown(asked), SENT);
  assert.deepEqual(asked.cookies, [], "the page of the app says that a message was sent");
  assert.equal(asked.headers["cache-control"], "no-store");
  assert.deepEqual((await mail.waitFor(1))[0]?.to, ["bob@example.org"]);
  const path = await readPath(mail, 1);
  const entered = await app.send(path, { form: NEW });
  assert.equal(entered.status, 303);
  assert.match((await app.send("/who", { session: entered.session })).body, /"bob"/);
  assert.equal((await app.send(path)).status, 404);
});

test("approval: the account opens once an administrator decides", async (t) => {
  const store = await openStore(t);
  const { app, mail } = await start(t, { mode: "approval" }, { store });
  assert.deepEqual(shown(await ask(app, "bob@example.org")), SENT);
  const asked = await app.send(await readPath(mail, 1), { form: NEW });
  assert.deepEqual([asked.location, asked.session], ["/login", undefined]);
  assert.equal(await store.users.findByName("bob"), undefined);
  const waiting = await app.auth.signUps.list();
  assert.deepEqual(
    waiting.map(({ username }) => username),
    ["bob"],
  );
});

test("an address that an account has gets the same answer, and its owner a message", async (t) => {
  const { app, mail } = await start(t, OPEN);
  const known = await app.auth.users.findByUsername(OWNER.username);
  assert.ok(known);
  await app.auth.users.setProfile(known.id, { email: "ada@example.org", emailIs: "verified" });
  const answers = [await ask(app, "bob@example.org"), await ask(app, "Ada@example.org")];
  const compared = answers.map(({ status, body, cookies, headers }) => {
    const { date, "x-request-id": id, ...others } = headers;
    assert.ok(date && id);
    return { status, body, cookies, others };
  });
  assert.deepEqual(compared[0], compared[1]);
  const received = await mail.waitFor(2);
  const toOwner = received.find(({ to }) => to[0]?.toLowerCase() === "ada@example.org");
  assert.ok(toOwner);
  assert.match(readText(toOwner), /You have an account/);
  assert.doesNotMatch(readText(toOwner), /\/link\//);
});

test("refuses what the form refuses, and asks for nothing", async (t) => {
  const { store, written } = await openWatched(t);
  const { app } = await start(t, OPEN, { store });
  for (const [email, error] of [
    ["", "email_invalid"],
    ["bob", "email_invalid"],
    ["bob@example.org\0", "email_invalid"],
    ["bob@example.org\r\nBcc: eve@example.org", "email_invalid"],
    [`${"b".repeat(300)}@example.org`, "email_invalid"],
    ["bob@other.test", "domain_refused"],
    ["bob@mail.example.org", "domain_refused"],
    ["bob@example.org.evil.test", "domain_refused"],
  ] as const) {
    assert.deepEqual(shown(await ask(app, email)), refused(error), email);
    const page = await app.send("/login/sign-up", { form: { email } });
    assert.equal(page.status, 422, email);
  }
  const none = await app.send("/api/sign-up", { body: "{}", headers: JSON_TYPE });
  assert.deepEqual(shown(none), refused("email_invalid"));
  for (const email of [1, null, ["bob@example.org"], { $gt: "" }]) {
    const [status, body] = shown(await ask(app, email));
    assert.deepEqual([status, body], [422, { error: "wrong_type", fields: ["email"] }]);
  }
  assert.deepEqual(written, []);
  assert.deepEqual(shown(await ask(app, "bob@example.org")), SENT);
  assert.deepEqual(written, ["outbox.insert"]);
});

test("counts together with the form, and logs the same line", async (t) => {
  const store = await openStore(t);
  const { app } = await start(t, OPEN, { store });
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    assert.deepEqual(shown(await ask(app, "bob@example.org")), SENT);
  }
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const page = await app.send("/login/sign-up", { form: { email: "bob@example.org" } });
    assert.equal(page.location, "/login");
  }
  const denied = await ask(app, "eve@example.org");
  assert.deepEqual(shown(denied), [429, { error: "rate_limited" }]);
  assert.equal(denied.headers["retry-after"], "60");
  const page = await app.send("/login/sign-up", { form: { email: "eve@example.org" } });
  assert.equal(page.location, "/login/sign-up?error=1");
  assert.deepEqual(shown(await ask(app, "eve@example.org", { from: "127.0.0.2" })), SENT);
  const lines = app.log.map(({ message }) => message);
  assert.deepEqual(lines, Array(2).fill("registration rate-limited"));
  await app.auth.close();
  assert.deepEqual(await summariesIn(store), ["Created account owner"]);
});

test("while no account exists, nobody can ask for one", async (t) => {
  const { store, written } = await openWatched(t);
  const mail = await startMailServer(t);
  const app = await startApp(t, { ...optionsFor(mail, OPEN), store });
  for (const email of ["bob@example.org", "bob", "bob@other.test"]) {
    assert.deepEqual(shown(await ask(app, email)), [409, { error: "needs_setup" }]);
    const page = await app.send("/login/sign-up", { form: { email } });
    assert.deepEqual([page.status, page.location], [303, "/setup"]);
  }
  assert.deepEqual(written, []);
});

test("another site, another type and another method are refused", async (t) => {
  const { store, written } = await openWatched(t);
  const hosts = { publicUrl: PUBLIC, trustedOrigins: ["https://app.example.org"] };
  const { app } = await start(t, OPEN, { store, hosts });
  for (const headers of [
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
    { Origin: "https://evil.example" },
    { Origin: "https://app.example.org" },
    { Origin: "null" },
  ]) {
    const answer = await ask(app, "bob@example.org", { headers });
    assert.deepEqual(shown(answer), [403, { error: "cross_site" }]);
    assert.equal(answer.headers["access-control-allow-origin"], undefined);
  }
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
    const answer = await ask(app, "bob@example.org", { headers: { "Content-Type": type } });
    assert.deepEqual(shown(answer), [415, { error: "not_json" }], type);
  }
  for (const body of ["[]", "{", '{"email":"bob@example.org","email":"eve@example.org"}']) {
    const answer = await app.send("/api/sign-up", { body, headers: JSON_TYPE });
    assert.deepEqual(shown(answer), [400, { error: "body_unreadable" }]);
  }
  const read = await app.send("/api/sign-up");
  assert.deepEqual(shown(read), [405, { error: "method_not_allowed" }]);
  assert.equal(read.headers.allow, "POST");
  assert.deepEqual(written, []);
});

test("the path belongs to the app unless people can register by mail", async (t) => {
  const mail = await startMailServer(t);
  const withMail = optionsFor(mail, OPEN);
  const provider = github({ clientId: "id", clientSecret: "secret" });
  for (const options of [
    { ...withMail, api: false },
    { ...withMail, signIn: {} },
    { ...withMail, signIn: { signUp: { mode: "off" } } },
    { ...withMail, mail: undefined, signIn: { signUp: OPEN, with: [provider] } },
  ] satisfies AppOptions[]) {
    const { app } = await startConfiguredApp(t, options);
    const answer = await ask(app, "bob@example.org");
    assert.deepEqual([answer.status, answer.body], [404, NOT_FOUND]);
  }
  const { gate } = await startConfigured(t, { signUp: "open", smtpUrl: mail.url, ...GATE });
  assert.equal((await gate.send("/api/sign-up", { body: "{}", headers: JSON_TYPE })).status, 404);
});

const GATE = { mailFrom: "home@example.org", publicUrl: PUBLIC } as const;

test("the client asks, and returns the refusals", async (t) => {
  const { app, mail } = await start(t, OPEN);
  const client = createClient({ base: app.url });
  assert.deepEqual(await client.signUp({ email: "bob@example.org" }), { sent: true });
  await mail.waitFor(1);
  const { sent, error } = await client.signUp({ email: "bob@other.test" });
  assert.deepEqual([sent, error], [undefined, "domain_refused"]);
  for (let attempt = 2; attempt <= 5; attempt += 1) {
    await client.signUp({ email: "bob@example.org" });
  }
  assert.deepEqual(await client.signUp({ email: "bob@example.org" }), {
    error: "rate_limited",
    retryAfter: 60,
  });
});
