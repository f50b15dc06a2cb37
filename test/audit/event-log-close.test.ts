import assert from "node:assert/strict";
import { test } from "node:test";
import { createEventLog } from "../../src/audit/event-log.ts";
import { eventually } from "../support/eventually.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { startNode } from "../support/process.ts";
import { recordingLog } from "../support/recording-log.ts";
import { heldStore, quickStore, signedIn } from "./held-store.ts";

test("ends the pause after a failure on close and retries once", async () => {
  const store = heldStore();
  const log = recordingLog();
  const events = createEventLog(store, fakeClock(), log);
  events.record(signedIn("owner"));
  // The pauses grow: after the third failure it is long enough to tell.
  for (let failure = 1; failure <= 3; failure += 1) {
    await store.answer(new Error("locked"));
    await eventually(() => log.lines[failure - 1]);
  }
  const before = performance.now();
  const closed = events.close();
  await store.answer();
  await closed;
  assert.ok(performance.now() - before < 600, "it did not sit out the pause");
  assert.deepEqual(store.written, ["owner"]);
  assert.equal(log.lines.length, 3, "none is reported as lost");
});

test("closes with a failing store and logs the number of lost entries", async () => {
  const log = recordingLog();
  const insert = () => Promise.reject(new Error("gone"));
  const events = createEventLog({ ...quickStore(), insert }, fakeClock(), log);
  for (let i = 0; i < 10_003; i += 1) events.record(signedIn(String(i)));
  await events.close();
  assert.deepEqual(log.lines.at(-1), {
    level: "error",
    message: "log entries lost at the end",
    fields: { lost: 10_003 },
  });
});

test("closes after two seconds with a hanging store, and counts what is lost", async (t) => {
  const log = recordingLog();
  const insert = () => new Promise<void>(() => {});
  const events = createEventLog({ ...quickStore(), insert }, fakeClock(), log);
  events.record(signedIn("owner"));
  // Something has to keep the process running: a server does that outside of tests.
  const alive = setInterval(() => {}, 50);
  t.after(() => clearInterval(alive));
  const before = performance.now();
  await events.close();
  const took = performance.now() - before;
  assert.ok(took > 1_900 && took < 4_000, `it took ${took} ms`);
  assert.deepEqual(log.lines, [
    { level: "error", message: "log entries lost at the end", fields: { lost: 1 } },
  ]);
});

test("does not keep the process alive after closing", async (t) => {
  const module = (name: string): string =>
    JSON.stringify(new URL(`../../src/audit/${name}.ts`, import.meta.url));
  const script = `
    import { createEventLog } from ${module("event-log")};
    import { createAuditEvent } from ${module("events")};
    const store = { insert: async () => {} };
    const clock = { now: () => 0, monotonic: () => 0 };
    const events = createEventLog(store, clock, { warn() {}, error() {} });
    events.record(createAuditEvent("password_change", {}));
    await events.close();
    const closedAt = performance.now();
    process.on("exit", () => console.log(performance.now() - closedAt));
  `;
  const { stdout } = await startNode(t, ["--input-type=module", "-e", script], {}).ended;
  assert.ok(Number(stdout) < 1_000, `${stdout} ms`);
});

test("writes an entry that is recorded at the moment when writing ends", async () => {
  const store = quickStore();
  const written = (name: string) =>
    eventually(() => (store.written.includes(name) ? true : undefined), 2_000);
  // One turn of the microtask queue later each time: some of them hit the moment between the last
  // look at what is waiting and the end.
  for (let turns = 0; turns < 20; turns += 1) {
    const events = createEventLog(store, fakeClock(), recordingLog());
    events.record(signedIn(`early ${turns}`));
    await written(`early ${turns}`);
    const closed = events.close();
    for (let i = 0; i < turns; i += 1) await Promise.resolve();
    events.record(signedIn(`late ${turns}`));
    await closed;
    await written(`late ${turns}`);
  }
});
