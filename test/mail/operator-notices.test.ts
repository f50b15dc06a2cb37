import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createEventLog } from "../../src/audit/event-log.ts";
import { selectEvents } from "../../src/audit/event-patterns.ts";
import { createAuditEvent } from "../../src/audit/events.ts";
import type { Delivery, NewLogEntry, User, UserId } from "../../src/db/records.ts";
import type { SqliteStore } from "../../src/db/sqlite/store.ts";
import { createSeals } from "../../src/identity/seals.ts";
import { Unavailable } from "../../src/lib/fault.ts";
import { createMessaging, type Messaging } from "../../src/mail/messaging.ts";
import { eventually } from "../support/eventually.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";
import { SECRET } from "../support/gate.ts";
import { recordingLog } from "../support/recording-log.ts";
import { openStore, summariesIn } from "../support/store.ts";

const userOf = (username: string): User => ({ id: `id of ${username}` as UserId, username });

interface Scene {
  readonly store: SqliteStore;
  readonly clock: FakeClock;
  readonly log: ReturnType<typeof recordingLog>;
  readonly messaging: Messaging;
  /** Reads what waits, as it was queued. */
  waiting(): Promise<readonly { readonly type: string; readonly subject: unknown }[]>;
  entry(type: Parameters<typeof createAuditEvent>[0], name?: string): NewLogEntry;
}

/** An outbox without mail, for events that match these patterns. */
async function start(t: TestContext, patterns = "*"): Promise<Scene> {
  const store = await openStore(t);
  const clock = fakeClock();
  const log = recordingLog();
  const selection = selectEvents(patterns);
  assert.ok(selection.kind === "events");
  const services = { store, clock, log, seals: createSeals(SECRET) };
  const { events } = selection;
  const messaging = createMessaging(services, { mail: "off", locale: undefined, events });
  const { outbox } = messaging;
  assert.ok(outbox);
  return {
    ...{ store, clock, log, messaging },
    async waiting() {
      const due = await store.outbox.claimDue(new Date(clock.now()), new Date(clock.now()), 1_000);
      return due.map((delivery) => {
        assert.equal(delivery.kind, "webhook");
        const { type, data } = outbox.open(delivery) as Opened;
        return { type, subject: data.subject };
      });
    },
    entry: (type, name = "ada") => ({
      at: new Date(clock.now()),
      ...createAuditEvent(type, { user: userOf(name) }),
    }),
  };
}

interface Opened {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

test("queues what matches, without mail", async (t) => {
  const { messaging, entry, waiting } = await start(t, "user.*,signup");
  assert.equal(messaging.mailing, undefined);
  await messaging.tell([
    ...[entry("signup"), entry("signin"), entry("user_add", "bob"), entry("key_add")],
    entry("user_remove", "bob"),
  ]);
  assert.deepEqual((await waiting()).map(({ type }) => type).toSorted(), [
    ...["signup", "user_add", "user_remove"],
  ]);
});

test("without mail and notices, there is no outbox", async (t) => {
  const { store, clock, log, entry } = await start(t);
  const services = { store, clock, log, seals: createSeals(SECRET) };
  const options = { mail: "off", locale: undefined, events: undefined } as const;
  const { outbox, mailing, tell } = createMessaging(services, options);
  assert.deepEqual([outbox, mailing], [undefined, undefined]);
  await tell([entry("signup")]);
  assert.deepEqual(await store.outbox.readState(), { waiting: 0, oldest: undefined });
});

test("a notice has the facts of the entry, sealed in the database", async (t) => {
  const { store, clock, messaging } = await start(t);
  assert.ok(messaging.outbox);
  const at = new Date(clock.now());
  const event = createAuditEvent("signin", { user: userOf("ada") });
  await messaging.tell([{ at, ...event, address: "192.0.2.1", device: "Firefox" }]);
  const [delivery] = await store.outbox.claimDue(at, at, 9);
  assert.ok(delivery);
  assert.doesNotMatch(JSON.stringify(delivery), /ada|192\.0\.2\.1/);
  assert.deepEqual(messaging.outbox.open(delivery), {
    type: "signin",
    timestamp: at.toISOString(),
    data: {
      ...{ summary: "Signed in as ada", author: "system", userId: "id of ada", subject: "ada" },
      ...{ address: "192.0.2.1", device: "Firefox" },
    },
  });
});

test("an entry that is passed again is queued once, and an equal one of another gate is another", async (t) => {
  const { messaging, clock, entry, waiting, store, log } = await start(t);
  const entries = [entry("user_add"), entry("user_add", "bob")];
  await messaging.tell(entries);
  await messaging.tell(entries);
  const events = ["user_add"] as const;
  const services = { store, clock, log, seals: createSeals(SECRET) };
  const other = createMessaging(services, { mail: "off", locale: undefined, events });
  assert.equal((await waiting()).length, 2);
  await other.tell(structuredClone(entries));
  assert.equal((await waiting()).length, 4, "the same happens there in the same millisecond");
});

test("an entry whose insertion fails at first is told once, and before it is stored", async (t) => {
  const { store, clock, log, messaging, waiting } = await start(t, "user.add");
  let failures = 2;
  const told: number[] = [];
  const flaky = {
    ...store.log,
    async insert(entries: readonly NewLogEntry[]) {
      told.push((await store.outbox.readState()).waiting);
      failures -= 1;
      if (failures >= 0) throw new Error("the disk is full");
      await store.log.insert(entries);
    },
  };
  const events = createEventLog(flaky, clock, log, { beforeStored: messaging.tell });
  events.record(createAuditEvent("user_add", { user: userOf("bob") }));
  await eventually(() => (events.waiting === 0 ? true : undefined));
  assert.deepEqual(told, [1, 1, 1]);
  assert.deepEqual(await waiting(), [{ type: "user_add", subject: "bob" }]);
  assert.deepEqual(await summariesIn(store), ["Added account bob"]);
  await events.close();
});

test("an entry waits while the outbox cannot be reached", async (t) => {
  const { store, clock, log, entry } = await start(t);
  let isAway = true;
  const outbox = {
    ...store.outbox,
    async insert(delivery: Delivery) {
      if (isAway) throw new Unavailable("database_away", "the database is away", 1);
      await store.outbox.insert(delivery);
    },
  };
  const services = { clock, log, store: { ...store, outbox }, seals: createSeals(SECRET) };
  const all = { mail: "off", locale: undefined, events: ["user_add"] } as const;
  const { tell } = createMessaging(services, all);
  await assert.rejects(tell([entry("user_add")]), Unavailable);
  isAway = false;
  await tell([entry("user_add")]);
  assert.equal((await store.outbox.readState()).waiting, 1);
});

test("a notice that the database refuses for good does not hold up the log", async (t) => {
  const { store, clock, log, entry } = await start(t);
  const outbox = {
    ...store.outbox,
    insert: async () => Promise.reject(new Error("a rule of its own")),
  };
  const services = { clock, log, store: { ...store, outbox }, seals: createSeals(SECRET) };
  const all = { mail: "off", locale: undefined, events: ["user_add"] } as const;
  await createMessaging(services, all).tell([entry("user_add")]);
  assert.deepEqual(log.lines, [
    {
      level: "error",
      message: "the operator was not told what has happened",
      fields: { reason: "a rule of its own", type: "user_add" },
    },
  ]);
});

test("a lost notice causes no other notice, and a lost mail does", async (t) => {
  const { messaging, clock, waiting } = await start(t);
  const lost = (name: string): NewLogEntry => ({
    at: new Date(clock.now()),
    ...createAuditEvent("message_lost", { name }),
  });
  await messaging.tell([lost("webhook")]);
  assert.deepEqual(await waiting(), []);
  await messaging.tell([lost("ada@example.org"), lost("new-password")]);
  assert.equal((await waiting()).length, 2);
});

test("clients that are refused again and again cause one notice in ten minutes", async (t) => {
  const { messaging, clock, waiting, entry } = await start(t, "signin_refused,signin");
  const limited = (address: string): NewLogEntry => {
    const at = new Date(clock.now());
    return { at, ...createAuditEvent("signin_rate_limited", {}), address };
  };
  for (let at = 0; at < 300; at += 1) {
    clock.advance(1_000);
    await messaging.tell([limited(`192.0.2.${at % 250}`), entry("code_rejected")]);
    await messaging.tell([entry("code_rejected", "bob"), entry("codes_locked")]);
  }
  const count = async () =>
    (await waiting()).map(({ type, subject }) => `${type} ${subject}`).sort();
  const once = [
    ...["code_rejected ada", "code_rejected bob", "codes_locked ada"],
    "signin_rate_limited undefined",
  ];
  assert.deepEqual(await count(), once);
  clock.advance(600_000);
  await messaging.tell([limited("192.0.2.1")]);
  assert.deepEqual(await count(), [...once, "signin_rate_limited undefined"]);
  await messaging.tell([entry("signin"), { ...entry("signin"), address: "192.0.2.1" }]);
  assert.equal((await waiting()).length, 7, "a sign-in is no refusal");
});
