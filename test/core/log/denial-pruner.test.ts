import assert from "node:assert/strict";
import { test } from "node:test";
import { createDenialPruner, MAX_KEPT_DENIALS } from "../../../src/core/log/denial-pruner.ts";
import { createEventLog } from "../../../src/core/log/event-log.ts";
import { eventOf } from "../../../src/core/log/events.ts";
import type { NewLogEntry } from "../../../src/core/records.ts";
import type { SqliteStore } from "../../../src/stores/sqlite/store.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { recordingLog } from "../../support/recording-log.ts";
import { logEntry, openStore } from "../../support/store.ts";
import { signedIn } from "./held-store.ts";

const denials = (count: number, name = "denial"): readonly NewLogEntry[] =>
  Array.from({ length: count }, (_, n) =>
    logEntry(`${name} ${n}`, { type: "signin_rate_limited" }),
  );

const summariesIn = async (store: SqliteStore): Promise<readonly string[]> =>
  (await store.log.read({ afterId: 0, limit: 20_000 })).map(({ summary }) => summary);

test("the audit log keeps the newest 10,000 denied sign-ins and every other entry", async (t) => {
  const store = await openStore(t);
  await store.log.insert([
    logEntry("first"),
    ...denials(200, "old"),
    logEntry("second"),
    ...denials(MAX_KEPT_DENIALS - 2),
  ]);
  const events = createEventLog(store.log, fakeClock(), recordingLog());
  events.record(signedIn("owner"));
  for (const address of ["192.0.2.1", "192.0.2.2"]) {
    events.record(eventOf("signin_rate_limited", { client: { remoteAddress: address } }));
  }
  await events.close();
  const summaries = await summariesIn(store);
  assert.deepEqual(summaries.slice(0, 3), ["first", "second", "denial 0"]);
  assert.deepEqual(summaries.slice(-3), [
    "Signed in as owner",
    "Rate limited login from 192.0.2.1",
    "Rate limited login from 192.0.2.2",
  ]);
  assert.equal(summaries.length, MAX_KEPT_DENIALS + 3);
});

test("counts the stored denials at the first new one, and then after every 500", async (t) => {
  const pruneType = t.mock.fn(async () => 0);
  const prune = createDenialPruner({ pruneType }, recordingLog());
  const counts: number[] = [];
  for (const entries of [[logEntry("Signed in as owner")], denials(1), denials(499), denials(1)]) {
    await prune(entries);
    counts.push(pruneType.mock.callCount());
  }
  assert.deepEqual(counts, [0, 1, 1, 2]);
});

test("removes a large surplus in several steps", async (t) => {
  const store = await openStore(t);
  await store.log.insert(denials(MAX_KEPT_DENIALS + 2_500));
  const prune = createDenialPruner(store.log, recordingLog());
  const left: number[] = [];
  for (const entries of [denials(1), [], [], []]) {
    await prune(entries);
    left.push((await summariesIn(store)).length - MAX_KEPT_DENIALS);
  }
  assert.deepEqual(left, [1_500, 500, 0, 0]);
});

test("only logs a failing store", async () => {
  const log = recordingLog();
  const pruneType = () => Promise.reject(new Error("out of order"));
  await createDenialPruner({ pruneType }, log)(denials(1));
  const lines = log.lines.map(({ level, message, fields }) => [level, message, fields.reason]);
  assert.deepEqual(lines, [["warn", "old log entries were not removed", "out of order"]]);
});
