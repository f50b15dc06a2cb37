import assert from "node:assert/strict";
import { test } from "node:test";
import { createEventLog, type EventLog } from "../../../src/core/log/event-log.ts";
import { eventOf } from "../../../src/core/log/events.ts";
import { recentLog } from "../../../src/core/log/log-reader.ts";
import type { UserId } from "../../../src/core/store.ts";
import type { SqliteStore } from "../../../src/stores/sqlite/store.ts";
import { memoryStore } from "../../stores/memory-store.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { recordingLog } from "../../support/recording-log.ts";
import { logEntry, openStore } from "../../support/store.ts";

const names = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, i) => `Signed in as ${from + i}`);

const OWNER = "owner" as UserId;

const insert = (store: SqliteStore, summaries: readonly string[]): Promise<void> =>
  store.insertLogEntries(summaries.map((summary) => logEntry(summary, { userId: OWNER })));

const eventLog = (store: Pick<SqliteStore, "insertLogEntries">): EventLog =>
  createEventLog(store, fakeClock(Date.UTC(2031, 4, 1)), recordingLog());

/** The summaries of the newest entries of the owner. */
async function recent(store: SqliteStore, events = eventLog(store)): Promise<readonly string[]> {
  const entries = await recentLog(store, events)?.(OWNER);
  return entries?.map(({ summary }) => summary) ?? [];
}

test("returns the newest ten entries, newest first, or all if there are fewer", async (t) => {
  const store = await openStore(t);
  assert.deepEqual(await recent(store), []);
  await insert(store, names(0, 3));
  assert.deepEqual(await recent(store), names(0, 3).toReversed());
  await insert(store, names(3, 25));
  assert.deepEqual(await recent(store), names(15, 25).toReversed());
});

test("includes entries that were just recorded", async (t) => {
  const store = await openStore(t);
  const events = eventLog(store);
  events.record(eventOf("signin", "first", OWNER));
  assert.deepEqual(await recent(store, events), ["Signed in as first"]);
  // Within the pause after the first entry, in which only a flush writes.
  events.record(eventOf("password_change", "", OWNER));
  const at = new Date("2031-05-01T00:00:00.000Z");
  const entry = { id: 2, at, ...eventOf("password_change", "", OWNER) };
  assert.deepEqual((await recentLog(store, events)?.(OWNER))?.[0], entry);
});

test("returns older entries when new ones cannot be written", async (t) => {
  const store = await openStore(t);
  await insert(store, ["older"]);
  const events = eventLog({
    insertLogEntries: () => Promise.reject(new Error("the disk is full")),
  });
  events.record(eventOf("signin", "newest", OWNER));
  assert.deepEqual(await recent(store, events), ["older"]);
  await events.close();
});

const NO_EVENTS = { flush: async () => {} };

test("calls the store's method with its object", async () => {
  const store = {
    entries: [{ id: 1, ...logEntry("own") }],
    async readNewestEntriesOf() {
      return this.entries;
    },
  };
  assert.deepEqual(await recentLog(store, NO_EVENTS)?.(OWNER), store.entries);
});

test("returns undefined for a store that cannot read its log", () => {
  const least: Partial<SqliteStore> = memoryStore();
  assert.equal(recentLog(least, NO_EVENTS), undefined);
});

test("passes a read failure on to the caller", async () => {
  const readNewestEntriesOf = () => Promise.reject(new Error("no such table"));
  const recently = recentLog({ readNewestEntriesOf }, NO_EVENTS);
  await assert.rejects(async () => recently?.(OWNER), /no such table/);
});
