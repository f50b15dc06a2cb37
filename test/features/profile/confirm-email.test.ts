import assert from "node:assert/strict";
import { test } from "node:test";
import type { User } from "../../../src/db/records.ts";
import { makeLink } from "../../../src/features/links/make-link.ts";
import { findLink, useLink } from "../../../src/features/links/use-link.ts";
import { askToConfirmEmail } from "../../../src/features/profile/confirm-email.ts";
import type { Mail } from "../../../src/mail/mail.ts";
import { createMailingServices, type MailingServices } from "../../support/mailing.ts";

const CLIENT = { remoteAddress: "192.0.2.1" };
const EMPTY = { username: "", password: "", confirm: "" };
const OLD = "old@example.org";
const HOUR = 3_600_000;

const userOf = async (ports: MailingServices, username: string): Promise<User> => ({
  id: await ports.idOf(username),
  username,
});

/** Asks to confirm an address, and returns the token of the message. */
async function ask(ports: MailingServices, username: string, email: string): Promise<string> {
  assert.equal(await askToConfirmEmail(ports, await userOf(ports, username), email), "queued");
  const mails = await ports.takeMails();
  const confirmation = mails.find(({ message }) => message.kind === "confirm-email");
  assert.ok(confirmation?.message.kind === "confirm-email");
  assert.equal(confirmation.to, email.trim());
  return (confirmation.message as { readonly token: string }).token;
}

const use = async (ports: MailingServices, token: string) =>
  (await useLink(ports, token, EMPTY, CLIENT, "fr")).kind;

const noticesTo = (mails: readonly Mail[]) =>
  mails.map(({ to, message }) => [to, message.kind === "notice" ? message.notice : message.kind]);

test("an address counts once its link is used, and the former one is told", async (t) => {
  const ports = await createMailingServices(t, "ada");
  const id = await ports.idOf("ada");
  await ports.verify("ada", OLD, "de");
  const before = await ports.store.profiles.find(id);
  const token = await ask(ports, "ada", " New@example.org ");
  assert.deepEqual(await ports.store.profiles.find(id), before, "nothing yet");
  const pending = await ports.store.links.findPendingEmail(id, new Date(ports.clock.now()));
  assert.equal(pending, "New@example.org");
  assert.equal((await findLink(ports, token))?.username, "ada");
  assert.deepEqual(await ports.store.profiles.find(id), before, "to look at the link is no use");
  assert.equal(await use(ports, token), "email-confirmed");
  assert.deepEqual(await ports.store.profiles.find(id), {
    ...{ id, userId: id, email: "New@example.org", verifiedEmail: "new@example.org", locale: "de" },
  });
  assert.deepEqual(noticesTo(await ports.takeMails()), [[OLD, "emailChanged"]]);
  assert.equal(await use(ports, token), "gone");
  assert.deepEqual(await ports.takeMails(), []);
  const entries = await ports.writtenEntries();
  assert.deepEqual(entries, ["email_confirm: Confirmed the e-mail address of ada"]);
});

test("a first address is told nobody, and takes the language of the browser", async (t) => {
  const ports = await createMailingServices(t, "ada");
  const id = await ports.idOf("ada");
  await ports.store.profiles.set({ id, userId: id, name: "Ada", email: "typed@example.org" });
  assert.equal(await use(ports, await ask(ports, "ada", "new@example.org")), "email-confirmed");
  const profile = await ports.store.profiles.find(id);
  assert.deepEqual([profile?.name, profile?.locale], ["Ada", "fr"]);
  assert.deepEqual(await ports.takeMails(), []);
});

test("the same address again is no change to tell", async (t) => {
  const ports = await createMailingServices(t, "ada");
  await ports.verify("ada", OLD);
  assert.equal(await use(ports, await ask(ports, "ada", OLD.toUpperCase())), "email-confirmed");
  assert.deepEqual(await ports.takeMails(), []);
});

test("a second request ends the link of the first", async (t) => {
  const ports = await createMailingServices(t, "ada", "bob");
  const first = await ask(ports, "ada", "wrong@example.org");
  const other = await ask(ports, "bob", "bob@example.org");
  const second = await ask(ports, "ada", "right@example.org");
  assert.equal(await use(ports, first), "gone");
  assert.equal(await use(ports, second), "email-confirmed");
  assert.equal(await use(ports, other), "email-confirmed", "of another account");
});

test("an address that another account confirms meanwhile is taken, and free again later", async (t) => {
  const ports = await createMailingServices(t, "ada", "bob");
  const ofAda = await ask(ports, "ada", "Both@example.org");
  const ofBob = await ask(ports, "bob", "both@example.org");
  const outcomes = await Promise.all([use(ports, ofAda), use(ports, ofBob)]);
  assert.deepEqual(outcomes.toSorted(), ["email-confirmed", "email-taken"]);
  const [winner, loser] = outcomes[0] === "email-taken" ? ["bob", "ada"] : ["ada", "bob"];
  const idOfLoser = await ports.idOf(loser);
  assert.equal(await ports.store.profiles.find(idOfLoser), undefined);
  await ports.verify(winner, "other@example.org");
  assert.equal(await use(ports, loser === "ada" ? ofAda : ofBob), "email-confirmed");
});

test("nobody learns from a request whether an address has an account", async (t) => {
  const ports = await createMailingServices(t, "ada", "bob");
  await ports.verify("bob", "bob@example.org");
  const operations: string[] = [];
  t.after(
    ports.store.observe({
      answered: (operation) => void operations.push(operation),
      failed: (operation) => void operations.push(operation),
    }),
  );
  const ada = await userOf(ports, "ada");
  const seen: unknown[] = [];
  for (const email of ["bob@example.org", "free@example.org"]) {
    operations.length = 0;
    seen.push([await askToConfirmEmail(ports, ada, email), ...operations]);
  }
  assert.deepEqual(seen[0], seen[1]);
});

test("refuses what is no address", async (t) => {
  const ports = await createMailingServices(t, "ada");
  const ada = await userOf(ports, "ada");
  for (const email of [
    "",
    "ada",
    "a@b",
    "a@b.test\r\nBcc: c@d.test",
    "a@b.test,c@d.test",
    "a\0@b.test",
  ])
    assert.equal(await askToConfirmEmail(ports, ada, email), "email-invalid");
  assert.deepEqual(await ports.takeAll(), []);
});

test("the link works for a day, and no longer than the password and the account", async (t) => {
  const ports = await createMailingServices(t, "ada", "bob");
  const { store, clock } = ports;
  const token = await ask(ports, "ada", "new@example.org");
  clock.advance(24 * HOUR - 1);
  assert.ok(await findLink(ports, token));
  clock.advance(1);
  assert.equal(await use(ports, token), "gone");
  const id = await ports.idOf("ada");
  const again = await ask(ports, "ada", "new@example.org");
  const user = await store.users.find(id);
  assert.ok(user);
  await store.users.replaceHash(id, user.passwordHash, `${user.passwordHash} new` as never);
  assert.equal(await use(ports, again), "gone", "somebody else may have asked for it");
  const last = await ask(ports, "ada", "new@example.org");
  await store.users.remove(id);
  assert.equal(await use(ports, last), "gone");
});

test("an invitation by mail gives a verified address, and only an unclaimed one", async (t) => {
  const ports = await createMailingServices(t, "owner");
  const expiresAt = new Date(ports.clock.now() + HOUR);
  const wanted = { purpose: "invite", usesLeft: 1, expiresAt, email: "New@example.org" } as const;
  const made = await makeLink(ports, wanted);
  assert.ok(made.kind === "made");
  const [mail, ...others] = await ports.takeMails();
  assert.deepEqual([mail?.to, others], ["New@example.org", []]);
  assert.ok(mail?.message.kind === "invitation");
  const { token } = mail.message as { readonly token: string };
  assert.equal(token, made.token);
  const form = { username: "ada", password: "a long password", confirm: "a long password" };
  const entered = await useLink(ports, token, form, CLIENT, "es");
  assert.ok(entered.kind === "entered");
  const profile = await ports.store.profiles.find(entered.user.id);
  assert.deepEqual(
    [profile?.email, profile?.verifiedEmail, profile?.locale],
    ["New@example.org", "new@example.org", "es"],
  );
  for (const [email, kind] of [
    ["NEW@example.org", "email-taken"],
    ["new", "email-invalid"],
    ["new@example.org\r\nBcc: eve@example.org", "email-invalid"],
  ] as const)
    assert.equal((await makeLink(ports, { ...wanted, email })).kind, kind);
  const { mailing: _, ...without } = ports;
  assert.equal((await makeLink(without, { ...wanted, email: "x@example.org" })).kind, "no-mail");
  for (const purpose of ["guest", "reset"] as const)
    await assert.rejects(makeLink(ports, { ...wanted, purpose, name: "x", groups: ["g"] }), {
      code: "invalid_option",
    });
  assert.deepEqual(await ports.takeMails(), []);
});

test("an account sends five confirmations an hour", async (t) => {
  const ports = await createMailingServices(t, "ada", "bob");
  const [ada, bob] = [await userOf(ports, "ada"), await userOf(ports, "bob")];
  const send = (user: User) => askToConfirmEmail(ports, user, "victim@example.org");
  for (let number = 0; number < 5; number += 1) assert.equal(await send(ada), "queued");
  assert.equal(await send(ada), "rate-limited");
  assert.equal(await send(bob), "queued");
  ports.clock.advance(HOUR - 1);
  assert.equal(await send(ada), "rate-limited");
  ports.clock.advance(1);
  assert.equal(await send(ada), "queued");
});
