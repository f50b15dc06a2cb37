import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Session, UserId } from "../../src/db/records.ts";
import { createSessionRecorder } from "../../src/identity/session-recorder.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { recordingLog } from "../support/recording-log.ts";

const at = new Date(0);
const session: Session = {
  id: "a",
  userId: "1" as UserId,
  createdAt: at,
  usedAt: at,
  expiresAt: at,
  address: "::1",
  device: "",
};

/** A recorder, and what it has written. */
function recorderOfAll() {
  const inserted: string[] = [];
  const written: (readonly [readonly string[], Date])[] = [];
  const store = {
    insert: async ({ id }: Session) => void inserted.push(id),
    noteUsed: async (ids: readonly string[], time: Date) => void written.push([ids, time]),
  };
  const clock = fakeClock();
  const recorder = createSessionRecorder(store, clock, recordingLog());
  return { recorder, clock, inserted, written };
}

test("inserts a session after the turn that started it, and before a flush returns", async () => {
  const { recorder, inserted } = recorderOfAll();
  recorder.recordStart(session);
  await Promise.resolve();
  assert.deepEqual(inserted, []);
  await recorder.flush();
  assert.deepEqual(inserted, ["a"]);
});

test("writes the uses of several sessions together, each once", async () => {
  const { recorder, clock, written } = recorderOfAll();
  for (const id of ["a", "b", "a"]) recorder.recordUse(id);
  await recorder.flush();
  await recorder.flush();
  assert.deepEqual(written, [[["a", "b"], new Date(clock.now())]]);
});

test("writes uses after a second, counted again from each flush", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { recorder, written } = recorderOfAll();
  const uses = async () => {
    await turn();
    return written.map(([ids]) => ids.join(" "));
  };
  recorder.recordUse("a");
  t.mock.timers.tick(500);
  recorder.recordUse("b");
  t.mock.timers.tick(499);
  assert.deepEqual(await uses(), []);
  t.mock.timers.tick(1);
  assert.deepEqual(await uses(), ["a b"]);
  recorder.recordUse("c");
  t.mock.timers.tick(500);
  await recorder.flush();
  recorder.recordUse("d");
  t.mock.timers.tick(999);
  assert.deepEqual(await uses(), ["a b", "c"]);
  t.mock.timers.tick(1);
  assert.deepEqual(await uses(), ["a b", "c", "d"]);
});

test("keeps ten thousand uses at most until the next write", async () => {
  const { recorder, written } = recorderOfAll();
  for (let id = 0; id <= 10_000; id += 1) recorder.recordUse(String(id));
  await recorder.flush();
  const sizes = written.map(([ids]) => ids.length);
  assert.deepEqual(sizes, [10_000]);
});

test("logs a failure once and throws nothing", async () => {
  const fail = () => Promise.reject(new Error("the disk is full"));
  const log = recordingLog();
  const store = { insert: fail, noteUsed: fail };
  const recorder = createSessionRecorder(store, fakeClock(), log);
  recorder.recordStart(session);
  recorder.recordUse("a");
  await recorder.flush();
  const lines = log.lines.map(({ message, fields }) => [message, fields.reason]);
  assert.deepEqual(lines, [
    ["a session was not recorded", "the disk is full"],
    ["the last use of sessions was not recorded", "the disk is full"],
  ]);
});

test("a flush does not wait for a store that does not answer", async () => {
  const never = () => new Promise<void>(() => {});
  const store = { insert: never, noteUsed: never };
  const recorder = createSessionRecorder(store, fakeClock(), recordingLog());
  recorder.recordStart(session);
  const start = performance.now();
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  const flushed = recorder.flush();
  assert.equal(timers(), before, "no timer keeps the process running");
  await flushed;
  assert.ok(performance.now() - start < 2_000);
});

test("does nothing without a store that keeps sessions", async () => {
  const log = recordingLog();
  const recorder = createSessionRecorder(undefined, fakeClock(), log);
  recorder.recordStart(session);
  recorder.recordUse("a");
  await recorder.flush();
  assert.deepEqual(log.lines, []);
});
