import assert from "node:assert/strict";
import { test } from "node:test";
import { getWords } from "../../src/pages/words.ts";
import { eventually } from "../support/eventually.ts";
import { changeForm, OWNER } from "../support/gate.ts";
import { linkPath } from "../support/link.ts";
import {
  ADA,
  lastOf,
  NEW_PASSWORD as NEW,
  PUBLIC,
  pathOf,
  startMailGate,
  subjectOf,
} from "../support/mail-gate.ts";
import { readText } from "../support/mail-server.ts";
import { turnCodesOn } from "../support/one-time-codes.ts";
import { addPasskey, HOST, sender } from "./at-passkeys.ts";

const { mailNotices } = getWords("en");
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const PHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1";

const as = (userAgent: string) => ({ headers: { "User-Agent": userAgent } });

test("tells a person about each sign-in from a browser or an address that is new", async (t) => {
  const { gate, mail } = await startMailGate(t);
  // The setup came from this browser, which says nothing about itself.
  assert.equal((await gate.signIn()).location, "/");
  assert.equal((await gate.signIn({ password: "wrong" }, as(PHONE))).location, "/login?error=1");
  await gate.signIn({}, as(FIREFOX));
  assert.match(readText(await lastOf(mail, 1)), /Device: Firefox on Linux/);
  await gate.signIn({}, as(FIREFOX));
  await gate.signIn({}, as(PHONE));
  const phone = readText(await lastOf(mail, 2));
  assert.match(phone, /Device: Safari on iPhone\s+From: 127\.0\.0\.1/);
  await gate.signIn({}, { ...as(PHONE), from: "127.0.0.2" });
  assert.match(readText(await lastOf(mail, 3)), /From: 127\.0\.0\.2/);
  await gate.signIn({}, { ...as(PHONE), from: "127.0.0.2" });
  await gate.signIn({}, { ...as(FIREFOX), from: "127.0.0.2" });
  await lastOf(mail, 4);
  assert.deepEqual(mail.received.map(subjectOf), Array(4).fill(mailNotices.signInNew));
  for (const { to } of mail.received) assert.deepEqual(to, [ADA]);
});

test("tells a person once about each change of how one can sign in", async (t) => {
  const { gate, session, mail } = await startMailGate(t);
  const subjects: string[] = [];
  /** Exactly this message follows, after all others. */
  const told = async (subject: string): Promise<void> => {
    subjects.push(subject);
    const message = await lastOf(mail, subjects.length);
    assert.deepEqual(mail.received.map(subjectOf), subjects);
    assert.match(readText(message), /From: 127\.0\.0\.1\r?\n\r?\nThis wasn’t me:/);
  };
  const post = (path: string, form: Readonly<Record<string, string>>) =>
    gate.send(path, { session, form });

  await post("/account/password", changeForm(OWNER.password, NEW));
  await told(mailNotices.passwordChanged);
  const to = sender(gate);
  const { passkey } = await addPasskey(to, session);
  await told(mailNotices.passkeyAdded);
  await to.send("/account/passkeys/remove", { passkey: passkey.id }, session);
  await told(mailNotices.passkeyRemoved);
  const { answer } = await turnCodesOn(gate, session);
  await told(mailNotices.codesOn);
  // This command knows no mail server, so it tells nobody.
  const path = await linkPath(gate, "reset", OWNER.username);
  assert.equal((await gate.send(path, { form: { password: NEW, confirm: NEW } })).status, 303);
  await told(mailNotices.passwordChanged);
  const [, recovery = ""] = /<code dir="ltr">([\d-]+)<\/code>/.exec(answer.body) ?? [];
  const again = (await gate.signIn({ password: NEW, code: recovery })).session;
  assert.ok(again);
  await told(mailNotices.recoveryCodeUsed);
  await gate.send("/account/codes/renew", { session: again, form: {} });
  await told(mailNotices.recoveryCodesNew);
  await gate.send("/account/codes/off", { session: again, form: {} });
  await told(mailNotices.codesOff);
  await gate.send("/account/keys/add", { session: again, form: { name: "backup" } });
  await told(mailNotices.keyAdded);
});

test("tells a person what the operator does at the command line", async (t) => {
  const { mail, run } = await startMailGate(t);
  await run("user", "password", OWNER.username, "--password-stdin");
  const link = new URL((await run("link", "reset", OWNER.username)).trim());
  await run("user", "rename", OWNER.username, "grace");
  await mail.waitFor(3);
  assert.deepEqual(mail.received.map(subjectOf).toSorted(), [
    ...[mailNotices.passwordLinkMade, mailNotices.passwordChanged, mailNotices.usernameChanged],
  ]);
  for (const message of mail.received)
    assert.match(readText(message), /\r?\nBy: the operator of the server\r?\n/);
  const token = link.pathname.slice("/link/".length);
  for (const { source } of mail.received)
    assert.equal(source.replaceAll("=\r\n", "").includes(token), false, "not the link itself");
  const renamed = mail.received.find((one) => subjectOf(one) === mailNotices.usernameChanged);
  assert.ok(renamed);
  assert.match(readText(renamed), /your account grace\./);
});

test("names the administrator who makes a link for a new password", async (t) => {
  const { gate, session, mail, run } = await startMailGate(t);
  await run("user", "add", "bob", "--password-stdin");
  await run("user", "set", "bob", "--email", "bob@example.org", "--email-verified");
  const { id: bob } = JSON.parse(await run("user", "show", "bob", "--json"));
  const made = await gate.send("/account/people/reset", { session, form: { user: bob } });
  assert.equal(made.status, 200, made.body);
  const message = await lastOf(mail, 1);
  assert.deepEqual(message.to, ["bob@example.org"]);
  assert.match(readText(message), /A link for a new password was made.*By: owner\r?\n/s);
  const [, token = "none"] = /\/link\/([\w-]{20,})/.exec(made.body) ?? [];
  assert.equal(
    message.source.replaceAll("=\r\n", "").includes(token),
    false,
    "the link is not his",
  );
});

test("tells nobody whose address is not verified, or who has none", async (t) => {
  const { gate, session, mail, run } = await startMailGate(t);
  await run("user", "set", OWNER.username, "--email", "other@example.org");
  await gate.send("/account/keys/add", { session, form: { name: "one" } });
  await run("user", "set", OWNER.username, "--email", "");
  await gate.send("/account/keys/add", { session, form: { name: "two" } });
  await gate.logEntries(5);
  await run("user", "set", OWNER.username, "--email", ADA, "--email-verified");
  await gate.send("/account/keys/add", { session, form: { name: "three" } });
  await lastOf(mail, 1);
  assert.equal(mail.received.length, 1);
});

test("the link of a notice ends all sessions once, and its page changes nothing", async (t) => {
  const { gate, session, mail } = await startMailGate(t);
  await gate.send("/account/keys/add", { session, form: { name: "evil" } });
  const path = pathOf(await lastOf(mail, 1));
  const isSignedIn = async (one: string | undefined) =>
    (await gate.send("/account/profile", { session: one })).status === 200;
  // Mail scanners open links, and send HEAD.
  for (const method of ["GET", "HEAD", "GET"])
    assert.equal((await gate.send(path, { method })).status, 200);
  assert.equal(await isSignedIn(session), true);
  const cross = await gate.send(path, {
    form: {},
    headers: { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" },
  });
  assert.equal(cross.status, 403);
  assert.equal(await isSignedIn(session), true);
  // Whoever has taken the account over changes the password, and ends what links can do.
  const changed = await gate.send("/account/password", {
    session,
    form: changeForm(OWNER.password, NEW),
  });
  assert.equal(changed.status, 303);
  assert.equal(await isSignedIn(session), true);
  const other = (await gate.signIn({ password: NEW }, as(PHONE))).session;
  // The link sets no password, and makes no session.
  const form = { password: "chosen by me", confirm: "chosen by me", username: "eve" };
  const ended = await gate.send(path, { form });
  assert.deepEqual(
    [ended.status, ended.location, ended.session],
    [303, "/login/forgot", undefined],
  );
  assert.deepEqual([await isSignedIn(session), await isSignedIn(other)], [false, false]);
  assert.equal((await gate.signIn({ password: form.password })).location, "/login?error=1");
  const after = (await gate.signIn({ password: NEW })).session;
  for (const sending of [{}, { form: {} }])
    assert.equal((await gate.send(path, sending)).status, 404, "once");
  assert.equal(await isSignedIn(after), true);
  const entries = await eventually(async () => {
    const all = await gate.logEntries(1);
    return all.filter(({ type }) => type === "sessions_end_link").length > 0 ? all : undefined;
  });
  assert.equal(entries.filter(({ type }) => type === "sessions_end_link").length, 1);
});

test("the link of a notice is in no list, and no file of the database has it", async (t) => {
  const { gate, session, mail, run } = await startMailGate(t);
  await gate.send("/account/keys/add", { session, form: { name: "one" } });
  const path = pathOf(await lastOf(mail, 1));
  const token = path.slice("/link/".length);
  assert.doesNotMatch(await run("link", "list"), /end-sessions/);
  const page = await gate.send("/account/links", { session });
  assert.doesNotMatch(page.body, /end-sessions/);
  const { readdir, readFile } = await import("node:fs/promises");
  for (const name of await readdir(gate.dataDir)) {
    const bytes = await readFile(`${gate.dataDir}/${name}`);
    assert.equal(bytes.includes(token), false, name);
    assert.equal(bytes.includes(PUBLIC), false, name);
  }
  assert.ok(HOST.Host);
  for (const line of gate.serverLog) assert.doesNotMatch(JSON.stringify(line), new RegExp(token));
});
