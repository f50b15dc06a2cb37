import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import type { NewAuditEvent } from "../../src/audit/events.ts";
import type { DeliveryKind, UserId } from "../../src/db/records.ts";
import { migrate } from "../../src/db/sqlite/schema.ts";
import { createSqliteStore, type SqliteStore } from "../../src/db/sqlite/store.ts";
import { createSeals, type Seals } from "../../src/identity/seals.ts";
import { Unavailable } from "../../src/lib/fault.ts";
import { GiveUp } from "../../src/mail/give-up.ts";
import type { Mail } from "../../src/mail/mail.ts";
import { createOutbox, type Outbox } from "../../src/mail/outbox.ts";
import { type Deliver, type OutboxQueue, startOutboxQueue } from "../../src/mail/outbox-queue.ts";
import { addTo } from "../db/suite/samples.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";
import { SECRET } from "../support/gate.ts";
import { type RecordingLog, recordingLog } from "../support/recording-log.ts";

const MAIL: Mail = { to: "ada@example.org", locale: "en", message: { kind: "test" } };
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LEASE = 5 * MINUTE;

interface World {
  readonly store: SqliteStore;
  readonly database: DatabaseSync;
  readonly clock: FakeClock;
  readonly log: RecordingLog;
  readonly outbox: Outbox;
  readonly recorded: NewAuditEvent[];
  /** The IDs of the messages that the server has taken. */
  readonly taken: string[];
  /** What the meter has counted. */
  readonly counted: string[];
  /** What the mail server does with the next messages. */
  deliver: Deliver;
  /** The database is away for the next calls of this operation. */
  fail(operation: string, times: number): void;
  start(seals?: Seals, stopWithinMs?: number): OutboxQueue;
  /** Starts a queue, and stops it when nothing is due. */
  runOnce(seals?: Seals): Promise<void>;
  /** Resolves at the end of the next call of this operation. */
  next(operation: string): Promise<"answered" | "failed">;
  rows(): readonly Readonly<Record<string, unknown>>[];
}

async function startWorld(t: TestContext): Promise<World> {
  const failing = new Map<string, number>();
  const database = new DatabaseSync(":memory:");
  await migrate(database);
  const store = createSqliteStore(database, undefined, async (operation, call) => {
    const left = failing.get(operation) ?? 0;
    if (left === 0) return call();
    failing.set(operation, left - 1);
    throw new Unavailable("store_unavailable", "the database is away", 2);
  });
  t.after(() => store.close());
  const clock = fakeClock();
  const seals = createSeals(SECRET);
  const queues: OutboxQueue[] = [];
  t.after(() => Promise.all(queues.map((queue) => queue.stop())));
  const world: World = {
    ...{ store, database, clock, log: recordingLog() },
    outbox: createOutbox({ store, clock, seals }),
    ...{ recorded: [], taken: [], counted: [] },
    deliver: async (_content, { id }) => void world.taken.push(id),
    fail: (operation, times) => void failing.set(operation, times),
    start(own = seals, stopWithinMs = undefined) {
      const queue = startOutboxQueue(
        {
          ...{ store, clock, log: world.log },
          outbox: createOutbox({ store, clock, seals: own }),
          meter: {
            countSent: (kind) => world.counted.push(`sent ${kind}`),
            countFailed: (kind) => world.counted.push(`failed ${kind}`),
            watchWaiting(waiting, oldest) {
              world.counted.push(`${waiting} since ${oldest?.toISOString() ?? "never"}`);
            },
          },
          record: (event) => world.recorded.push(event),
          deliver: {
            mail: (...given) => world.deliver(...given),
            "new-password": (...given) => world.deliver(...given),
          },
        },
        { ...(stopWithinMs !== undefined && { stopWithinMs }) },
      );
      queues.push(queue);
      return queue;
    },
    async runOnce(own) {
      const ended = world.next("outbox.readState");
      const queue = world.start(own);
      await ended;
      await queue.stop();
    },
    next: (operation) =>
      new Promise((resolve) => {
        const report = (outcome: "answered" | "failed") => (name: string) => {
          if (name !== operation) return;
          stop();
          resolve(outcome);
        };
        const stop = store.observe({ answered: report("answered"), failed: report("failed") });
      }),
    rows: () => database.prepare("SELECT * FROM latchkey_outbox ORDER BY id").all(),
  };
  return world;
}

const fails: Deliver = async () => {
  throw new Error("421 try again later");
};

test("sends what waits, in its order, and keeps no content of it", async (t) => {
  const world = await startWorld(t);
  for (const id of ["c", "a", "b"]) {
    await world.outbox.queueWork("new-password", { id }, id);
    world.clock.advance(1);
  }
  await world.runOnce();
  assert.deepEqual(world.taken, ["c", "a", "b"]);
  for (const row of world.rows()) {
    assert.deepEqual([row.content, row.due_at, row.problem, row.tries], [null, null, null, 1]);
    assert.equal(row.sent_at, world.clock.now());
  }
  assert.deepEqual(world.counted, [
    ...["sent new-password", "sent new-password", "sent new-password", "0 since never"],
  ]);
  await world.runOnce();
  assert.equal(world.taken.length, 3);
});

test("sends what is queued later at once, also during a check", async (t) => {
  const world = await startWorld(t);
  const idle = world.next("outbox.readState");
  const queue = world.start();
  await idle;
  const read = world.next("outbox.readState");
  await world.outbox.queue(MAIL);
  await read;
  assert.equal(world.taken.length, 1);
  // This one comes after the check has found nothing more, and before its end.
  world.deliver = async (_content, { id }) => {
    world.taken.push(id);
    if (world.taken.length > 2) return;
    void world.next("outbox.removeExpired").then(() => world.outbox.queue(MAIL));
  };
  await world.outbox.queue(MAIL);
  while (world.taken.length < 3) await world.next("outbox.note");
  await queue.stop();
});

test("tries again after longer and longer pauses, and gives up after a day", async (t) => {
  const world = await startWorld(t);
  world.deliver = fails;
  await world.outbox.queue(MAIL);
  const began = world.clock.now();
  await world.runOnce();
  let attempts = 1;
  for (const seconds of [10, 30, 90, 270, 810, 2_430, ...Array(22).fill(3_600)]) {
    if (world.rows()[0]?.due_at === null) break;
    world.clock.advance(seconds * SECOND - 1);
    await world.runOnce();
    assert.equal(world.rows()[0]?.tries, attempts, "not before its time");
    world.clock.advance(1);
    await world.runOnce();
    attempts += 1;
    assert.equal(world.rows()[0]?.tries, attempts, "at its time");
  }
  const [row] = world.rows();
  assert.ok(world.clock.now() < began + DAY && world.clock.now() > began + DAY - HOUR);
  assert.deepEqual([row?.due_at, row?.content, row?.sent_at], [null, null, null]);
  assert.equal(row?.problem, "421 try again later");
  assert.deepEqual(
    world.recorded.map(({ type, subject, author }) => [type, subject, author]),
    [["message_lost", "ada@example.org", "system"]],
  );
  const lines = world.log.lines.map(({ message }) => message);
  assert.deepEqual(lines.slice(0, -1), Array(attempts - 1).fill("message not sent yet"));
  assert.deepEqual(world.log.lines.at(-1), {
    level: "warn",
    message: "message given up",
    fields: { kind: "mail", reason: "421 try again later", tries: attempts },
  });
  assert.equal(world.counted.filter((what) => what === "failed mail").length, attempts);
  world.clock.advance(HOUR);
  world.deliver = () => assert.fail("given up");
  await world.runOnce();
});

test("gives up at once when no attempt can succeed", async (t) => {
  const world = await startWorld(t);
  world.deliver = async () => {
    throw new GiveUp("550 no mailbox here");
  };
  await world.outbox.queue(MAIL);
  await world.runOnce();
  const [row] = world.rows();
  assert.deepEqual([row?.tries, row?.due_at, row?.content], [1, null, null]);
  assert.equal(world.recorded[0]?.subject, MAIL.to);
});

test("keeps a message that waits, and says since when the oldest does", async (t) => {
  const world = await startWorld(t);
  world.deliver = fails;
  const since = new Date(world.clock.now()).toISOString();
  await world.outbox.queue(MAIL);
  world.clock.advance(SECOND);
  await world.outbox.queue(MAIL);
  await world.runOnce();
  assert.equal(world.counted.at(-1), `2 since ${since}`);
});

test("sends nothing that has waited for too long", async (t) => {
  const world = await startWorld(t);
  await world.outbox.queue(MAIL);
  // No instance runs.
  world.clock.advance(DAY);
  await world.runOnce();
  assert.deepEqual(world.taken, []);
  assert.equal(world.rows()[0]?.problem, "it has waited for too long");
  assert.equal(world.recorded[0]?.type, "message_lost");
});

test("gives a message up when its link ends", async (t) => {
  const world = await startWorld(t);
  const { id: userId } = await addTo(world.store, "ada");
  const expiresAt = new Date(world.clock.now() + MINUTE);
  await world.outbox.queueWithLink({
    ...{ to: MAIL.to, locale: "en", link: { purpose: "reset", userId, expiresAt } },
    write: (token) => ({ kind: "confirm-email", username: "ada", token }),
  });
  world.deliver = fails;
  await world.runOnce();
  world.clock.advance(10 * SECOND);
  await world.runOnce();
  assert.equal(world.recorded.length, 0);
  world.clock.advance(30 * SECOND);
  await world.runOnce();
  assert.equal(world.recorded[0]?.type, "message_lost");
});

test("removes what was sent or given up, a day after it was queued", async (t) => {
  const world = await startWorld(t);
  await world.outbox.queue(MAIL);
  await world.runOnce();
  world.clock.advance(DAY);
  await world.runOnce();
  assert.equal(world.rows().length, 1, "another instance's clock may be behind");
  world.clock.advance(2 * MINUTE);
  await world.runOnce();
  assert.deepEqual(world.rows(), []);
});

test("sends nothing again after an outage between the sending and its note", async (t) => {
  const world = await startWorld(t);
  await world.outbox.queue(MAIL);
  world.fail("outbox.note", 1);
  const failed = world.next("outbox.note");
  const queue = world.start();
  assert.equal(await failed, "failed");
  assert.equal(world.taken.length, 1);
  const [{ id } = { id: undefined }] = world.rows();
  // The lease has run out, and another instance would send it.
  world.clock.advance(LEASE);
  const noted = world.next("outbox.note");
  const claimed = world.next("outbox.claimDue");
  await world.outbox.queue(MAIL);
  assert.equal(await Promise.race([noted.then(() => "noted"), claimed]), "noted", "first");
  await world.next("outbox.readState");
  await queue.stop();
  await world.runOnce();
  assert.equal(world.taken.filter((one) => one === id).length, 1);
  assert.equal(world.taken.length, 2);
  assert.equal(world.counted.filter((what) => what === "sent mail").length, 2);
});

test("notes at its stop what it could not note before", async (t) => {
  const world = await startWorld(t);
  await world.outbox.queue(MAIL);
  world.fail("outbox.note", 1);
  const failed = world.next("outbox.note");
  const queue = world.start();
  await failed;
  await queue.stop();
  assert.equal(world.rows()[0]?.sent_at, world.clock.now());
  // With an outage to the end, the stop ends nevertheless, and the message is sent again.
  await world.outbox.queue(MAIL);
  world.fail("outbox.note", 9);
  const again = world.next("outbox.note");
  const other = world.start();
  await again;
  await other.stop();
  world.fail("outbox.note", 0);
  world.clock.advance(LEASE);
  await world.runOnce();
  assert.deepEqual(world.taken.slice(1).length, 2);
  assert.equal(world.taken[1], world.taken[2], "with the same ID");
});

test("waits for a database that is away", async (t) => {
  const world = await startWorld(t);
  await world.outbox.queue(MAIL);
  world.fail("outbox.claimDue", 1);
  const failed = world.next("outbox.claimDue");
  const queue = world.start();
  assert.equal(await failed, "failed");
  assert.deepEqual(world.log.lines, [], "an outage is logged where queries run");
  const read = world.next("outbox.readState");
  await world.outbox.queue(MAIL);
  await read;
  assert.equal(world.taken.length, 2);
  await queue.stop();
});

test("a failure that cannot be noted is tried again after the lease", async (t) => {
  const world = await startWorld(t);
  await world.outbox.queue(MAIL);
  world.deliver = fails;
  world.fail("outbox.note", 1);
  const failed = world.next("outbox.note");
  const queue = world.start();
  await failed;
  await queue.stop();
  world.deliver = async (_content, { id }) => void world.taken.push(id);
  await world.runOnce();
  assert.deepEqual(world.taken, []);
  world.clock.advance(LEASE);
  await world.runOnce();
  assert.equal(world.taken.length, 1);
});

test("opens what a previous secret has sealed, and gives up what none has", async (t) => {
  const world = await startWorld(t);
  await world.outbox.queue(MAIL);
  const contents: unknown[] = [];
  world.deliver = async (content) => void contents.push(content);
  await world.runOnce(createSeals("another secret, which is long enough", [SECRET]));
  assert.deepEqual(contents, [MAIL]);
  await world.outbox.queue(MAIL);
  await world.runOnce(createSeals("another secret, which is long enough"));
  assert.deepEqual(contents, [MAIL]);
  assert.deepEqual(
    world.recorded.map(({ type, subject }) => [type, subject]),
    [["message_lost", "mail"]],
  );
  assert.equal(world.log.lines.at(-1)?.fields.reason, "the secret has changed");
});

test("a message cannot be moved to another row", async (t) => {
  const world = await startWorld(t);
  await world.outbox.queueWork("new-password", {}, "a");
  await world.outbox.queue(MAIL);
  world.database.exec(
    "UPDATE latchkey_outbox SET content = (SELECT content FROM latchkey_outbox WHERE id <> 'a') WHERE id = 'a'",
  );
  await world.runOnce();
  assert.equal(world.taken.includes("a"), false);
});

test("a stop waits for the attempts that run, and notes them", async (t) => {
  const world = await startWorld(t);
  const running = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  world.deliver = async (_content, { id }) => {
    running.resolve();
    await release.promise;
    world.taken.push(id);
  };
  await world.outbox.queue(MAIL);
  const queue = world.start();
  await running.promise;
  const stopped = queue.stop();
  release.resolve();
  await stopped;
  assert.equal(world.taken.length, 1);
  assert.equal(world.rows()[0]?.sent_at, world.clock.now());
});

test("a stop aborts an attempt that does not end, and another instance tries again", async (t) => {
  const world = await startWorld(t);
  const running = Promise.withResolvers<void>();
  world.deliver = (_content, _delivery, stop) =>
    new Promise((_, reject) => {
      stop.addEventListener("abort", () => reject(stop.reason));
      running.resolve();
    });
  await world.outbox.queue(MAIL);
  const queue = world.start(undefined, 1);
  await running.promise;
  await queue.stop();
  assert.equal(world.rows()[0]?.tries, 0, "no attempt of the mail server");
  assert.deepEqual(world.log.lines, []);
  world.deliver = async (_content, { id }) => void world.taken.push(id);
  world.clock.advance(LEASE);
  await world.runOnce();
  assert.equal(world.taken.length, 1);
});

test("two instances send each message once", async (t) => {
  const world = await startWorld(t);
  for (let number = 0; number < 60; number += 1) await world.outbox.queue(MAIL);
  await Promise.all([world.runOnce(), world.runOnce(), world.runOnce()]);
  assert.equal(world.taken.length, 60);
  assert.equal(new Set(world.taken).size, 60);
});

test("a kind without a setting waits for it", async (t) => {
  const world = await startWorld(t);
  const kind: DeliveryKind = "webhook";
  await world.outbox.queueWork(kind, {}, "a");
  await world.runOnce();
  assert.equal(world.rows()[0]?.problem, "this instance has no setting for webhook");
  assert.notEqual(world.rows()[0]?.due_at, null);
});

test("keeps any reply of a server: one line that fits", async (t) => {
  const world = await startWorld(t);
  world.deliver = async () => {
    throw new Error(`450 \u0000\r\n\u001b[31m\ud800 ${"😀".repeat(5_000)}`);
  };
  await world.outbox.queue(MAIL);
  await world.runOnce();
  const problem = String(world.rows()[0]?.problem);
  assert.ok(Buffer.byteLength(problem) <= 1_024, String(Buffer.byteLength(problem)));
  assert.match(problem, /^450 \[31m\ufffd 😀+$/u);
  assert.doesNotMatch(JSON.stringify(world.log.lines), /\\u0000|\\u001b|\\n/);
});

test("an account that is removed takes no message with it", async (t) => {
  const world = await startWorld(t);
  const { id } = await addTo(world.store, "ada");
  await addTo(world.store, "owner");
  await world.outbox.queue(MAIL, id);
  await world.store.users.remove(id);
  await world.runOnce();
  assert.equal(world.taken.length, 1);
  await assert.rejects(
    world.outbox.queueWithLink({
      ...{ to: MAIL.to, locale: "en" },
      link: {
        purpose: "end-sessions",
        userId: "gone" as UserId,
        expiresAt: new Date(world.clock.now() + DAY),
      },
      write: () => ({ kind: "test" }),
    }),
  );
  assert.equal(world.rows().length, 1, "a message without its link is not stored");
});
