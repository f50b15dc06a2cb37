import assert from "node:assert/strict";
import { test } from "node:test";
import { createEventLog } from "../../src/core/event-log.ts";
import { eventOf } from "../../src/core/events.ts";
import type { LogEntry, LogReader } from "../../src/core/log-reader.ts";
import { recentLog } from "../../src/core/log-reader.ts";
import type { Store } from "../../src/core/store.ts";
import type { SqliteStore } from "../../src/stores/sqlite/store.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { recordingLog } from "../support/recording-log.ts";
import { logEntry, openStore } from "../support/store.ts";

const names = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, i) => `Signed in as ${from + i}`);

const summaries = (entries: readonly { readonly summary: string }[]): readonly string[] =>
  entries.map(({ summary }) => summary);

/** The newest entries of a store, through an event log over it. */
const recentOf = (store: SqliteStore) =>
  recentLog(store, createEventLog(store, fakeClock(), recordingLog()));

test("returns the newest ten entries, newest first, or all if there are fewer", async (t) => {
  const store = await openStore(t);
  const recent = recentOf(store);
  assert.deepEqual(await recent?.(), []);
  await store.insertLogEntries(names(0, 3).map((name) => logEntry(name)));
  assert.deepEqual(summaries((await recent?.()) ?? []), names(0, 3).toReversed());
  await store.insertLogEntries(names(3, 25).map((name) => logEntry(name)));
  assert.deepEqual(summaries((await recent?.()) ?? []), names(15, 25).toReversed());
});

test("shows the newest denied sign-in only, in its place", async (t) => {
  const store = await openStore(t);
  const recent = recentOf(store);
  const denials = Array.from({ length: 30 }, (_, i) =>
    logEntry(`denial ${i}`, { type: "signin_rate_limited" }),
  );
  await store.insertLogEntries(names(0, 12).map((name) => logEntry(name)));
  await store.insertLogEntries(denials);
  const others = names(3, 12).toReversed();
  assert.deepEqual(summaries((await recent?.()) ?? []), ["denial 29", ...others]);
  await store.insertLogEntries([logEntry("newer")]);
  assert.deepEqual(summaries((await recent?.()) ?? []).slice(0, 3), [
    "newer",
    "denial 29",
    "Signed in as 11",
  ]);
  await store.insertLogEntries(names(0, 10).map((name) => logEntry(name)));
  assert.deepEqual(summaries((await recent?.()) ?? []), names(0, 10).toReversed());
});

test("includes entries that were just recorded", async (t) => {
  const store = await openStore(t);
  const clock = fakeClock(Date.UTC(2031, 4, 1));
  const events = createEventLog(store, clock, recordingLog());
  const recent = recentLog(store, events);
  events.record(eventOf("signin", "first"));
  assert.deepEqual(summaries((await recent?.()) ?? []), ["Signed in as first"]);
  // Within the pause after the first entry, in which only a flush writes.
  events.record(eventOf("password_change"));
  const at = new Date("2031-05-01T00:00:00.000Z");
  const entry = { id: 2, at, ...eventOf("password_change") };
  assert.deepEqual((await recent?.())?.[0], entry);
});

test("returns older entries when new ones cannot be written", async (t) => {
  const store = await openStore(t);
  await store.insertLogEntries([logEntry("older")]);
  const log = recordingLog();
  const door = { insertLogEntries: () => Promise.reject(new Error("the disk is full")) };
  const events = createEventLog(door, fakeClock(), log);
  events.record(eventOf("signin", "newest"));
  assert.deepEqual(summaries((await recentLog(store, events)?.()) ?? []), ["older"]);
  assert.equal(log.lines[0]?.message, "log entries not written");
  await events.close();
});

type Newest = Pick<LogReader, "readNewestEntries">;

class OwnStore implements Newest {
  readonly #store: Newest;

  constructor(store: Newest) {
    this.#store = store;
  }

  readNewestEntries(limit: number, once: string): Promise<readonly LogEntry[]> {
    return this.#store.readNewestEntries(limit, once);
  }
}

test("calls the store's methods with their object", async (t) => {
  const store = await openStore(t);
  await store.insertLogEntries([logEntry("older")]);
  const events = createEventLog(store, fakeClock(), recordingLog());
  const recent = recentLog(new OwnStore(store), events);
  assert.deepEqual(summaries((await recent?.()) ?? []), ["older"]);
});

test("returns undefined for a store that cannot read its log", async (t) => {
  const events = createEventLog(await openStore(t), fakeClock(), recordingLog());
  const least: Store & Partial<LogReader> = memoryStore();
  assert.equal(recentLog(least, events), undefined);
});

test("passes a read failure on to the caller", async (t) => {
  const store = await openStore(t);
  const events = createEventLog(store, fakeClock(), recordingLog());
  const unreadable = {
    readNewestEntries: () => Promise.reject(new Error("no such table")),
  };
  await assert.rejects(async () => recentLog(unreadable, events)?.(), /no such table/);
});
