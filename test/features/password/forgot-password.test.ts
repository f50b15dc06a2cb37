import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Link, NO_PASSWORD } from "../../../src/db/records.ts";
import { findLink, useLink } from "../../../src/features/links/use-link.ts";
import {
  answerForgotten,
  askForNewPassword,
} from "../../../src/features/password/forgot-password.ts";
import { setProfile } from "../../../src/features/profile/set-profile.ts";
import type { Mail, NewPasswordMessage } from "../../../src/mail/mail.ts";
import { hashingAfter } from "../../support/core-services.ts";
import { createMailingServices, type MailingServices } from "../../support/mailing.ts";
import { hashText } from "../../support/store.ts";

const CLIENT = { remoteAddress: "192.0.2.1", userAgent: "curl/8" };
const MINUTE = 60_000;
const FORM = { username: "", password: "battery staple", confirm: "battery staple" };

/** Accounts of each kind. Only `ada` and `bob` have verified addresses and may get a link. */
async function startScene(t: TestContext): Promise<MailingServices> {
  const ports = await createMailingServices(t, "ada", "bob", "unverified", "nothing");
  const { store, clock } = ports;
  await store.users.insert({ username: "guest", passwordHash: NO_PASSWORD });
  const endsAt = new Date(clock.now() + 1);
  await store.users.insert({ username: "ended", passwordHash: hashText("x"), endsAt });
  clock.advance(1);
  for (const username of ["ada", "bob", "guest", "ended"])
    await ports.verify(username, `${username}@Example.org`);
  const id = await ports.idOf("unverified");
  await store.profiles.set({ id, userId: id, email: "unverified@example.org" });
  return ports;
}

const ask = (ports: MailingServices, login: string) => askForNewPassword(ports, login, CLIENT);

/** Answers what was asked for, and returns the messages that follow. */
async function answerAll(ports: MailingServices): Promise<readonly Mail[]> {
  const asked = await ports.takeAll();
  await Promise.all(asked.map(({ id, content }) => answerForgotten(ports, content, id)));
  return ports.takeMails();
}

const tokenOf = (mail: Mail | undefined): string => {
  assert.ok(mail?.message.kind === "new-password");
  return (mail.message as NewPasswordMessage).token;
};

/** The token of a link that was mailed to `ada`. */
async function mailLink(ports: MailingServices): Promise<string> {
  await ports.takeAll();
  await ask(ports, "ada");
  const [mail] = await answerAll(ports);
  return tokenOf(mail);
}

const LOGINS: Readonly<Record<string, readonly string[]>> = {
  ada: ["ada@Example.org"],
  "ada@example.org": ["ada@Example.org"],
  "  ADA@EXAMPLE.ORG ": ["ada@Example.org"],
  bob: ["bob@Example.org"],
  Ada: [],
  nobody: [],
  "nobody@example.org": [],
  guest: [],
  "guest@example.org": [],
  ended: [],
  "ended@example.org": [],
  unverified: [],
  "unverified@example.org": [],
  nothing: [],
  "": [],
  " ": [],
  "ada\0": [],
  "ada@example.org\r\nBcc: eve@example.org": [],
  ["x".repeat(100_000)]: [],
  "%@example.org": [],
  "ada@example.org, eve@example.org": [],
};

test("sends a link to verified addresses only, whatever is entered", async (t) => {
  for (const [login, expected] of Object.entries(LOGINS)) {
    const ports = await startScene(t);
    assert.equal(await ask(ports, login), "queued");
    const mails = await answerAll(ports);
    assert.deepEqual(
      mails.map(({ to }) => to),
      expected,
      login.slice(0, 50),
    );
    const entries = await ports.writtenEntries();
    assert.equal(entries.length, expected.length, "an entry for each link");
  }
});

test("asks the database the same for everybody", async (t) => {
  const ports = await startScene(t);
  const operations: string[] = [];
  t.after(
    ports.store.observe({
      answered: (operation) => void operations.push(operation),
      failed: (operation) => void operations.push(operation),
    }),
  );
  for (const login of Object.keys(LOGINS)) {
    ports.clock.advance(MINUTE);
    operations.length = 0;
    assert.equal(await ask(ports, login), "queued");
    assert.deepEqual(operations, ["outbox.insert"], login.slice(0, 50));
  }
  operations.length = 0;
  for (let more = 0; more < 4; more += 1) assert.equal(await ask(ports, "ada"), "queued");
  assert.equal(await ask(ports, "ada"), "rate-limited");
  assert.equal(await ask(ports, "nobody"), "rate-limited");
  assert.equal(operations.length, 4, "nothing is queued beyond the limit");
  const other = { remoteAddress: "192.0.2.2" };
  assert.equal(await askForNewPassword(ports, "ada", other), "queued");
});

test("without mail, nothing is queued", async (t) => {
  const ports = await startScene(t);
  assert.equal(await askForNewPassword({ ...ports, mailing: undefined }, "ada", CLIENT), "no-mail");
  assert.deepEqual(await ports.takeAll(), []);
});

test("a username comes first, also one that looks like the address of another account", async (t) => {
  const ports = await startScene(t);
  await ports.store.users.insert({
    username: "bob@example.org",
    passwordHash: hashText("a hash"),
  });
  await ports.verify("bob@example.org", "carol@example.org");
  await ask(ports, "bob@example.org");
  const mails = await answerAll(ports);
  assert.deepEqual(
    mails.map(({ to }) => to),
    ["carol@example.org"],
  );
  await ask(ports, "bob");
  assert.deepEqual(
    (await answerAll(ports)).map(({ to }) => to),
    ["bob@Example.org"],
    "whose account can still be reached",
  );
});

test("an account gets three links in half an hour, also at the same moment", async (t) => {
  const ports = await startScene(t);
  const askMany = async (count: number) => {
    for (let number = 0; number < count; number += 1) {
      // From a new address each time.
      const client = { remoteAddress: `192.0.2.${number}` };
      assert.equal(await askForNewPassword(ports, "ada", client), "queued");
    }
    return (await answerAll(ports)).length;
  };
  assert.equal(await askMany(20), 3);
  ports.clock.advance(30 * MINUTE - 1);
  assert.equal(await askMany(1), 0);
  ports.clock.advance(1);
  assert.equal(await askMany(1), 1);
  await ask(ports, "bob");
  assert.equal((await answerAll(ports)).length, 1, "another account has its own limit");
});

test("a request that two instances answer gets one message", async (t) => {
  const ports = await startScene(t);
  await ask(ports, "ada");
  const [asked] = await ports.takeAll();
  assert.ok(asked);
  await Promise.all([1, 2, 3].map(() => answerForgotten(ports, asked.content, asked.id)));
  assert.equal((await ports.takeMails()).length, 1);
  assert.equal((await ports.writtenEntries()).length, 1);
});

test("the link sets one password, within 30 minutes, and ends with it", async (t) => {
  const ports = await startScene(t);
  const token = await mailLink(ports);
  const other = await mailLink(ports);
  ports.clock.advance(30 * MINUTE - 1);
  assert.equal((await findLink(ports, token))?.username, "ada");
  const outcome = await useLink(ports, token, FORM, CLIENT);
  assert.deepEqual(outcome, { kind: "password-reset" });
  assert.equal((await useLink(ports, token, FORM, CLIENT)).kind, "gone", "once");
  assert.equal(await findLink(ports, other), undefined, "and so do the others of the account");
  const late = await mailLink(ports);
  ports.clock.advance(30 * MINUTE);
  assert.equal(await findLink(ports, late), undefined);
  assert.equal((await useLink(ports, late, FORM, CLIENT)).kind, "gone");
});

test("a link ends with another password, another address, and the end of its account", async (t) => {
  const ports = await startScene(t);
  const { store, clock } = ports;
  const id = await ports.idOf("ada");
  const ends: Readonly<Record<string, () => Promise<unknown>>> = {
    "another password": () =>
      store.users.replaceHash(id, hashText("hash of ada"), hashText("another")),
    "an address that the operator sets": () => setProfile(ports, id, { email: "new@example.org" }),
    "no address": async () => {
      await setProfile(ports, id, { email: "" });
      await ports.verify("ada", "ada@Example.org");
    },
    "an address that the person confirms": async () => {
      const link: Link = {
        ...{ id: "l", tokenHash: "h", purpose: "confirm-email", userId: id, usesLeft: 1 },
        ...{ email: "newer@example.org", expiresAt: new Date(clock.now() + MINUTE) },
      };
      await store.links.insert(link);
      await store.links.confirmEmail(link, undefined, new Date(clock.now()));
    },
  };
  for (const [what, end] of Object.entries(ends)) {
    await ports.verify("ada", "ada@Example.org");
    const token = await mailLink(ports);
    assert.ok(await findLink(ports, token), what);
    await setProfile(ports, id, { name: "Ada" });
    assert.ok(await findLink(ports, token), "another name is no reason");
    await end();
    assert.equal(await findLink(ports, token), undefined, what);
    assert.equal((await useLink(ports, token, FORM, CLIENT)).kind, "gone", what);
    clock.advance(31 * MINUTE);
  }
  await ports.verify("ada", "ada@Example.org");
  const token = await mailLink(ports);
  assert.ok(await findLink(ports, token));
  await store.users.remove(id);
  assert.equal(await findLink(ports, token), undefined);
});

test("a link does nothing after another instance has changed the password meanwhile", async (t) => {
  const ports = await startScene(t);
  const id = await ports.idOf("ada");
  const token = await mailLink(ports);
  const change = () =>
    ports.store.users.replaceHash(id, hashText("hash of ada"), hashText("newer"));
  const outcome = await useLink(hashingAfter(ports, change), token, FORM, CLIENT);
  assert.equal(outcome.kind, "gone");
  assert.equal((await ports.store.users.find(id))?.passwordHash, "newer");
});

test("writes in the language of the person", async (t) => {
  const ports = await startScene(t);
  await ports.verify("ada", "ada@example.org", "es");
  await ports.verify("bob", "bob@example.org", "xx");
  for (const login of ["ada", "bob"]) await ask(ports, login);
  const mails = await answerAll(ports);
  assert.deepEqual(mails.map(({ locale }) => locale).toSorted(), ["en", "es"]);
  const message = mails.find(({ locale }) => locale === "es")?.message;
  assert.ok(message?.kind === "new-password");
  const { token, ...facts } = message as NewPasswordMessage;
  assert.match(token, /^[\w-]{43}$/);
  assert.deepEqual(facts, {
    ...{ kind: "new-password", username: "ada", at: new Date(ports.clock.now()).toISOString() },
    ...{ address: CLIENT.remoteAddress, device: "curl" },
  });
});
