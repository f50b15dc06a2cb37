import assert from "node:assert/strict";
import { test } from "node:test";
import { createEventLog } from "../../src/audit/event-log.ts";
import { createAuditEvent } from "../../src/audit/events.ts";
import type { NewLogEntry } from "../../src/db/records.ts";
import type { SqliteStore } from "../../src/db/sqlite/store.ts";
import { eventually } from "../support/eventually.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { recordingLog } from "../support/recording-log.ts";
import { openStore, summariesIn } from "../support/store.ts";
import { signedIn } from "./held-store.ts";

/** The log of a store that fails when it is told to, and that knows how large each batch was. */
function doorTo({ log }: SqliteStore) {
  const batches: number[] = [];
  let failures = 0;
  return {
    ...log,
    batches,
    failNext(times: number): void {
      failures = times;
    },
    async insert(entries: readonly NewLogEntry[]): Promise<void> {
      batches.push(entries.length);
      failures -= 1;
      if (failures >= 0) throw new Error("the disk is full");
      await log.insert(entries);
    },
  };
}

const signedInAs = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, i) => `Signed in as ${from + i}`);

test("writes entries in the order and with the time of recording", async (t) => {
  const store = await openStore(t);
  const clock = fakeClock(Date.UTC(2031, 4, 1));
  const events = createEventLog(store.log, clock, recordingLog());
  events.record(signedIn("first"));
  clock.advance(1_500);
  events.record(createAuditEvent("password_change", {}));
  await events.close();
  const at = new Date("2031-05-01T00:00:00.000Z");
  const later = new Date("2031-05-01T00:00:01.500Z");
  assert.deepEqual(await store.log.read({ afterId: 0, limit: 10 }), [
    { id: 1, at, ...signedIn("first") },
    { id: 2, at: later, ...createAuditEvent("password_change", {}) },
  ]);
});

test("neither writes nor throws synchronously, and counts what waits", async (t) => {
  const door = doorTo(await openStore(t));
  const events = createEventLog(door, fakeClock(), recordingLog());
  assert.equal(events.waiting, 0);
  assert.equal(events.record(signedIn("owner")), undefined);
  assert.equal(events.waiting, 1);
  await Promise.resolve();
  assert.deepEqual(door.batches, [], "the response comes first");
  await events.close();
  assert.equal(events.waiting, 0);
});

test("logs a failed batch and retries it in order", async (t) => {
  const store = await openStore(t);
  const door = doorTo(store);
  door.failNext(1);
  const log = recordingLog();
  const events = createEventLog(door, fakeClock(), log);
  for (let i = 0; i < 3; i += 1) events.record(signedIn(String(i)));
  await eventually(() => log.lines[0]);
  for (let i = 3; i < 6; i += 1) events.record(signedIn(String(i)));
  await eventually(async () => ((await summariesIn(store)).length >= 6 ? true : undefined));
  assert.deepEqual(await summariesIn(store), signedInAs(0, 6), "each of them once");
  const fields = { reason: "the disk is full", waiting: 3 };
  assert.deepEqual(log.lines, [{ level: "error", message: "log entries not written", fields }]);
  await events.close();
});

test("lets denied sign-ins fill at most half of the queue", async (t) => {
  const store = await openStore(t);
  const log = recordingLog();
  const events = createEventLog(store.log, fakeClock(), log);
  for (let i = 0; i < 9_000; i += 1)
    events.record(
      createAuditEvent("signin_rate_limited", { client: { remoteAddress: "192.0.2.1" } }),
    );
  for (let i = 0; i < 20; i += 1) events.record(signedIn(String(i)));
  await events.close();
  const summaries = await summariesIn(store);
  assert.equal(summaries.length, 5_020);
  assert.deepEqual(summaries.slice(-20), signedInAs(0, 20));
  assert.deepEqual(log.lines.at(-1)?.fields, { dropped: 4_000 });
});

test("increases the pauses while the store fails", async (t) => {
  const door = doorTo(await openStore(t));
  door.failNext(3);
  const events = createEventLog(door, fakeClock(), recordingLog());
  const before = performance.now();
  events.record(signedIn("owner"));
  await eventually(() => (events.waiting === 0 ? true : undefined));
  // 200, 400 and 800 ms.
  assert.ok(performance.now() - before > 1_300);
  await events.close();
});

test("drops and counts entries beyond 10,000 waiting ones", async (t) => {
  const store = await openStore(t);
  const door = doorTo(store);
  door.failNext(1);
  const heard: string[] = [];
  const meter = {
    countWritten: (count: number) => void heard.push(`${count} written`),
    countFailed: () => void heard.push("failed"),
    countDropped: () => void heard.push("dropped"),
  };
  const log = recordingLog();
  const events = createEventLog(door, fakeClock(), log, { meter });
  for (let i = 0; i < 10_002; i += 1) events.record(signedIn(String(i)));
  await eventually(() => log.lines[0]);
  await events.close();
  assert.deepEqual(await summariesIn(store), signedInAs(0, 10_000));
  const message = "log entries dropped: too many were waiting";
  assert.deepEqual(log.lines.slice(1), [{ level: "error", message, fields: { dropped: 2 } }]);
  assert.deepEqual(heard, ["dropped", "dropped", "failed", ...Array(20).fill("500 written")]);
});
