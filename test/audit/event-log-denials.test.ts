import assert from "node:assert/strict";
import { test } from "node:test";
import { createEventLog } from "../../src/audit/event-log.ts";
import { createAuditEvent } from "../../src/audit/events.ts";
import type { NewLogEntry } from "../../src/db/records.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { recordingLog } from "../support/recording-log.ts";
import { logEntry, openStore, summariesIn } from "../support/store.ts";
import { quickStore, signedIn } from "./held-store.ts";

const denials = (count: number, name = "denial"): readonly NewLogEntry[] =>
  Array.from({ length: count }, (_, n) =>
    logEntry(`${name} ${n}`, { type: "signin_rate_limited" }),
  );

test("the audit log keeps the newest 10,000 denied sign-ins and every other entry", async (t) => {
  const store = await openStore(t);
  await store.log.insert([
    logEntry("first"),
    ...denials(200, "old"),
    logEntry("second"),
    ...denials(10_000 - 2),
  ]);
  const events = createEventLog(store.log, fakeClock(), recordingLog());
  events.record(signedIn("owner"));
  for (const address of ["192.0.2.1", "192.0.2.2"]) {
    events.record(createAuditEvent("signin_rate_limited", { client: { remoteAddress: address } }));
  }
  await events.close();
  const summaries = await summariesIn(store);
  assert.deepEqual(summaries.slice(0, 3), ["first", "second", "denial 0"]);
  assert.deepEqual(summaries.slice(-3), [
    "Signed in as owner",
    "Rate limited login from 192.0.2.1",
    "Rate limited login from 192.0.2.2",
  ]);
  assert.equal(summaries.length, 10_000 + 3);
});

/** An event log that has written all that was recorded before. */
function eventLog(store: Parameters<typeof createEventLog>[0], log = recordingLog()) {
  const events = createEventLog(store, fakeClock(), log);
  return async (denied: number, others = 0) => {
    const client = { remoteAddress: "192.0.2.1" };
    for (let n = 0; n < others; n += 1) events.record(signedIn("owner"));
    for (let n = 0; n < denied; n += 1)
      events.record(createAuditEvent("signin_rate_limited", { client }));
    await events.flush();
  };
}

test("counts the stored denials at the first new one, and then after every 500", async (t) => {
  const pruneType = t.mock.fn(async () => 0);
  const write = eventLog({ ...quickStore(), pruneType });
  const counts: number[] = [];
  for (const [denied, others] of [
    [0, 1],
    [1, 0],
    [499, 0],
    [1, 0],
  ] as const) {
    await write(denied, others);
    counts.push(pruneType.mock.callCount());
  }
  assert.deepEqual(counts, [0, 1, 1, 2]);
});

test("removes a large surplus in several steps", async (t) => {
  const store = await openStore(t);
  await store.log.insert(denials(10_000 + 2_500));
  const write = eventLog(store.log);
  const left: number[] = [];
  for (const [denied, others] of [
    [1, 0],
    [0, 1],
    [0, 1],
  ] as const) {
    await write(denied, others);
    const summaries = await summariesIn(store);
    const rest = summaries.filter((summary) => summary !== "Signed in as owner");
    left.push(rest.length - 10_000);
  }
  assert.deepEqual(left, [1_501, 501, 0]);
});

test("only logs a failing store", async () => {
  const log = recordingLog();
  const pruneType = () => Promise.reject(new Error("out of order"));
  await eventLog({ ...quickStore(), pruneType }, log)(1);
  const lines = log.lines.map(({ level, message, fields }) => [level, message, fields.reason]);
  assert.deepEqual(lines, [["warn", "old log entries were not removed", "out of order"]]);
});
