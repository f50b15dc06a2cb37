import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { createEventLog } from "../../src/audit/event-log.ts";
import { createAuditEvent } from "../../src/audit/events.ts";
import type { NewLogEntry, StoredUser } from "../../src/db/records.ts";
import { migrate } from "../../src/db/sqlite/schema.ts";
import { createSqliteStore, type SqliteStore } from "../../src/db/sqlite/store.ts";
import { createSeals } from "../../src/identity/seals.ts";
import { Unavailable } from "../../src/lib/fault.ts";
import { digestText } from "../../src/lib/random-text.ts";
import type { Mail, NoticeMessage } from "../../src/mail/mail.ts";
import { createMailing, type Mailing } from "../../src/mail/mailing.ts";
import { createOutbox } from "../../src/mail/outbox.ts";
import type { Locale } from "../../src/pages/words.ts";
import { addTo } from "../db/suite/samples.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";
import { SECRET } from "../support/gate.ts";
import { type RecordingLog, recordingLog } from "../support/recording-log.ts";

const DAY = 86_400_000;
const CLIENT = { remoteAddress: "192.0.2.7", userAgent: "curl/8" };

interface World {
  readonly store: SqliteStore;
  readonly clock: FakeClock;
  readonly log: RecordingLog;
  readonly mailing: Mailing;
  readonly ada: StoredUser;
  /** Lets operations fail. */
  around: (operation: string) => void;
  /** What waits in the outbox, the first first. */
  readMails(): Promise<readonly Mail[]>;
}

async function startWorld(t: TestContext, locale?: Locale): Promise<World> {
  const faults: Pick<World, "around"> = { around: () => {} };
  const database = new DatabaseSync(":memory:");
  await migrate(database);
  const store = createSqliteStore(database, undefined, async (operation, call) => {
    faults.around(operation);
    return call();
  });
  t.after(() => store.close());
  const clock = fakeClock();
  const log = recordingLog();
  const seals = createSeals(SECRET);
  const outbox = createOutbox({ store, clock, seals });
  const mailing = createMailing({ outbox, store, clock, log, locale });
  const ada = await addTo(store, "ada", "insertFirst");
  const profile = { id: ada.id, userId: ada.id, locale: "de" };
  await store.profiles.set({
    ...profile,
    email: "Ada@example.org",
    verifiedEmail: "ada@example.org",
  });
  return Object.assign(faults, {
    ...{ store, clock, log, mailing, ada },
    async readMails(): Promise<readonly Mail[]> {
      const later = new Date(clock.now() + 1);
      const due = await store.outbox.claimDue(later, new Date(clock.now()), 1_000);
      return due.map((delivery) => mailing.outbox.open(delivery) as Mail);
    },
  });
}

const entryOf = (
  { clock, ada }: World,
  type: Parameters<typeof createAuditEvent>[0],
  fields: Partial<NewLogEntry> = {},
): NewLogEntry => ({
  at: new Date(clock.now()),
  ...createAuditEvent(type, { user: ada, client: CLIENT }),
  ...fields,
});

const noticesIn = (mails: readonly Mail[]): readonly string[] =>
  mails.map(({ message }) => (message as NoticeMessage).notice).toSorted();

test("tells an entry that is passed twice once", async (t) => {
  const world = await startWorld(t);
  const entries = [entryOf(world, "key_add"), entryOf(world, "passkey_add")];
  await world.mailing.tellPeople(entries);
  await world.mailing.tellPeople(entries);
  const mails = await world.readMails();
  assert.deepEqual(noticesIn(mails), ["keyAdded", "passkeyAdded"]);
  const [mail] = mails;
  assert.deepEqual([mail?.to, mail?.locale], ["Ada@example.org", "de"]);
  await world.mailing.tellPeople([
    entryOf(world, "key_add", { at: new Date(world.clock.now() + 1) }),
  ]);
  assert.equal((await world.readMails()).length, 3, "another key");
});

test("writes in the language of the installation, if there is one", async (t) => {
  const world = await startWorld(t, "fr");
  await world.mailing.tellPeople([entryOf(world, "key_add")]);
  assert.equal((await world.readMails())[0]?.locale, "fr");
});

test("an entry that nobody can be told does not stop the others, or the audit log", async (t) => {
  const world = await startWorld(t);
  let failures = 0;
  world.around = (operation) => {
    if (operation !== "outbox.insert") return;
    failures += 1;
    if (failures === 1) throw new Error("this row is not possible");
  };
  const { store, clock, log, mailing } = world;
  const events = createEventLog(store.log, clock, log, { beforeStored: mailing.tellPeople });
  for (const type of ["key_add", "passkey_add"] as const)
    events.record(createAuditEvent(type, { user: world.ada, client: CLIENT }));
  await events.close();
  const stored = await store.log.read({ afterId: 0, limit: 9 });
  assert.deepEqual(
    stored.map(({ type }) => type),
    ["key_add", "passkey_add"],
  );
  assert.deepEqual(noticesIn(await world.readMails()), ["passkeyAdded"]);
  assert.deepEqual(log.lines, [
    {
      level: "error",
      message: "a person was not told what has changed",
      fields: { reason: "this row is not possible", type: "key_add" },
    },
  ]);
});

test("while the outbox is away, entries wait, and are told once", async (t) => {
  const world = await startWorld(t);
  const { store, clock, log, mailing } = world;
  const calls: string[] = [];
  let isAway = true;
  world.around = (operation) => {
    calls.push(operation);
    // The first entry was told before the outage, and the second was not.
    const inserted = calls.filter((name) => name === "outbox.insert").length;
    if (isAway && inserted > 1) throw new Unavailable("store_unavailable", "away", 1);
  };
  const events = createEventLog(store.log, clock, log, { beforeStored: mailing.tellPeople });
  for (const type of ["key_add", "passkey_add"] as const)
    events.record(createAuditEvent(type, { user: world.ada, client: CLIENT }));
  await events.flush();
  assert.equal(events.waiting, 2);
  assert.equal(calls.includes("log.insert"), false);
  isAway = false;
  await events.close();
  assert.equal(events.waiting, 0);
  assert.deepEqual(noticesIn(await world.readMails()), ["keyAdded", "passkeyAdded"]);
});

test("when the entry cannot be stored, the person is told once nevertheless", async (t) => {
  const world = await startWorld(t);
  const { store, clock, log, mailing } = world;
  let isAway = true;
  world.around = (operation) => {
    if (isAway && operation === "log.insert") throw new Unavailable("store_unavailable", "away", 1);
  };
  const events = createEventLog(store.log, clock, log, { beforeStored: mailing.tellPeople });
  events.record(createAuditEvent("signin", { user: world.ada, client: CLIENT }));
  await events.flush();
  isAway = false;
  await events.close();
  assert.deepEqual(noticesIn(await world.readMails()), ["signInNew"]);
});

test("an account that is gone is told nothing", async (t) => {
  const world = await startWorld(t);
  const entry = entryOf(world, "key_add");
  await addTo(world.store, "other");
  await world.store.users.remove(world.ada.id);
  await world.mailing.tellPeople([entry]);
  assert.deepEqual([await world.readMails(), world.log.lines], [[], []]);
});

test("no other event of the audit log is told", async (t) => {
  const world = await startWorld(t);
  const { eventTypes } = await import("../../src/audit/events.ts");
  const told: string[] = [];
  for (const type of eventTypes) {
    const before = (await world.readMails()).length;
    world.clock.advance(1);
    await world.mailing.tellPeople([entryOf(world, type, { author: "cli" })]);
    if ((await world.readMails()).length > before) told.push(type);
  }
  assert.deepEqual(told, [
    ...["signin", "password_change", "codes_on", "codes_off", "factors_off", "codes_locked"],
    ...["recovery_code_used", "recovery_codes_new", "passkey_add", "passkey_remove"],
    ...["identity_add", "identity_remove", "key_add"],
    ...["user_password", "password_reset", "user_rename", "link_make"],
  ]);
});

test("the link of a notice works for seven days", async (t) => {
  const world = await startWorld(t);
  await world.mailing.tellPeople([entryOf(world, "key_add")]);
  const [mail] = await world.readMails();
  assert.ok(mail?.message.kind === "notice");
  const find = (ms: number) =>
    world.store.links.find(
      digestText((mail.message as NoticeMessage).token),
      new Date(world.clock.now() + ms),
    );
  assert.equal((await find(7 * DAY - 1))?.purpose, "end-sessions");
  assert.equal(await find(7 * DAY), undefined);
});

test("the former address is told only if it was verified", async (t) => {
  const world = await startWorld(t);
  const event = createAuditEvent("email_confirm", { user: world.ada, client: CLIENT });
  const former = { id: world.ada.id, userId: world.ada.id, email: "old@example.org" };
  await world.mailing.tellFormerAddress(former, event);
  assert.deepEqual(await world.readMails(), []);
  await world.mailing.tellFormerAddress({ ...former, verifiedEmail: "old@example.org" }, event);
  const [mail, ...more] = await world.readMails();
  assert.ok(mail);
  assert.deepEqual([mail.to, more], ["old@example.org", []]);
  assert.deepEqual(noticesIn([mail]), ["emailChanged"]);
});
