import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createEventLog } from "../../src/audit/event-log.ts";
import type { ServerLog } from "../../src/lib/server-log.ts";
import { eventually } from "../support/eventually.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { recordingLog } from "../support/recording-log.ts";
import { heldStore, type LogTarget, quickStore, signedIn } from "./held-store.ts";

const eventLog = (store: Omit<LogTarget, "written">, log: ServerLog = recordingLog()) =>
  createEventLog(store, fakeClock(), log);

/** Fails if the flush waits for its deadline. */
async function assertEndsAtOnce(flush: Promise<void>): Promise<void> {
  let ended = false;
  void flush.then(() => {
    ended = true;
  });
  for (let turns = 0; turns < 5; turns += 1) await turn();
  assert.ok(ended);
}

test("flushes at once without a store call when no entry waits", async () => {
  const store = heldStore();
  await assertEndsAtOnce(eventLog(store).flush());
  assert.deepEqual(store.asked, []);
});

test("resolves a flush once all earlier entries are written", async () => {
  const store = heldStore();
  const events = eventLog(store);
  events.record(signedIn("early"));
  await eventually(() => (store.asked.length > 0 ? true : undefined));
  events.record(signedIn("late"));
  let flushed = false;
  const done = events.flush().then(() => {
    flushed = true;
  });
  await store.answer();
  await eventually(() => (store.asked.length > 0 ? true : undefined));
  assert.deepEqual([store.written, flushed], [["early"], false]);
  await store.answer();
  await assertEndsAtOnce(done);
  assert.deepEqual(store.written, ["early", "late"]);
});

test("ends a flush with the batch that contains the last entry of the call", async () => {
  const store = heldStore();
  const events = eventLog(store);
  for (let i = 1; i <= 501; i += 1) events.record(signedIn(String(i)));
  const done = events.flush();
  await store.answer();
  for (let i = 502; i <= 1_500; i += 1) events.record(signedIn(String(i)));
  await store.answer();
  await assertEndsAtOnce(done);
  assert.equal(store.written.length, 1_000, "the later entries are not waited for");
  assert.equal(store.asked.length, 0, "and they sit out the pause");
  const closed = events.close();
  while (store.written.length < 1_500) await store.answer();
  await closed;
});

test("ends a flush after 250 ms with a slow store, and writes the entry later", async (t) => {
  const store = heldStore();
  const events = eventLog(store);
  // The flush itself does not keep the process alive.
  const alive = setInterval(() => {}, 1_000);
  t.after(() => clearInterval(alive));
  events.record(signedIn("owner"));
  const before = performance.now();
  await events.flush();
  assert.ok(performance.now() - before > 200);
  assert.deepEqual(store.written, []);
  await store.answer();
  assert.deepEqual(store.written, ["owner"]);
  await events.close();
});

test("ends the long pause after failures on a flush", async () => {
  const store = heldStore();
  const events = eventLog(store);
  events.record(signedIn("owner"));
  // The pauses grow: after the fourth failure it is long enough to tell.
  for (let failure = 1; failure <= 4; failure += 1) {
    const flushed = events.flush();
    await store.answer(new Error("locked"));
    await flushed;
  }
  const done = events.flush();
  const before = performance.now();
  await store.answer();
  await done;
  assert.ok(performance.now() - before < 600, "it did not sit out the pause");
  assert.deepEqual(store.written, ["owner"]);
});

test("resolves a flush when the store fails, and logs the reason", async () => {
  const store = heldStore();
  const log = recordingLog();
  const events = eventLog(store, log);
  events.record(signedIn("owner"));
  const done = events.flush();
  await store.answer(new Error("the disk is full"));
  await done;
  const lines = log.lines.map(({ message, fields }) => [message, fields.reason]);
  assert.deepEqual(lines, [["log entries not written", "the disk is full"]]);
  for (let turns = 0; turns < 5; turns += 1) await turn();
  assert.equal(store.asked.length, 0, "it pauses before the next attempt");
  const again = events.flush();
  await store.answer();
  await again;
  assert.deepEqual(store.written, ["owner"], "no entry is lost");
});

const throwing = (): never => {
  throw new Error("out of order");
};

test("ends a flush at once when store and server log throw", async (t) => {
  const store = quickStore();
  t.mock.method(store, "insert").mock.mockImplementationOnce(throwing);
  const events = eventLog(store, { warn: throwing, error: throwing });
  events.record(signedIn("owner"));
  await assertEndsAtOnce(events.flush());
  events.record(signedIn("other"));
  await events.flush();
  assert.deepEqual(store.written, ["owner", "other"]);
});

test("resolves concurrent flushes with one write, or one failure", async () => {
  const store = heldStore();
  const events = eventLog(store);
  events.record(signedIn("owner"));
  for (const problem of [new Error("locked"), undefined]) {
    const done = Promise.all([events.flush(), events.flush(), events.flush()]);
    await store.answer(problem);
    await done;
  }
  assert.deepEqual([store.written, store.asked.length], [["owner"], 0]);
});

test("writes all batches of a flush in order and without a pause", async () => {
  const store = quickStore();
  const events = eventLog(store);
  const names = Array.from({ length: 9_600 }, (_, i) => String(i));
  for (const name of names) events.record(signedIn(name));
  const before = performance.now();
  await events.flush();
  assert.deepEqual(store.written, names);
  // Twenty batches: with the pauses between them it would be two seconds.
  assert.ok(performance.now() - before < 1_000);
});

test("flushes late entries after closing, and resolves if that fails", async () => {
  const store = heldStore();
  const log = recordingLog();
  const events = eventLog(store, log);
  await events.close();
  events.record(signedIn("late"));
  const failed = events.flush();
  await store.answer(new Error("closed"));
  await failed;
  const done = events.flush();
  await store.answer();
  await done;
  assert.deepEqual([store.written, log.lines.length], [["late"], 1]);
  await events.flush();
});
