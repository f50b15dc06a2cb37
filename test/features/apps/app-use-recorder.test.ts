import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { NotedRefusal, NotedUse } from "../../../src/db/queries/app-uses.ts";
import { toUserId } from "../../../src/db/records.ts";
import { createAppUseRecorder } from "../../../src/features/apps/app-use-recorder.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { recordingLog } from "../../support/recording-log.ts";

const [ANN, BOB] = [toUserId("ann"), toUserId("bob")];
const HOUR = 3_600_000;

/** A recorder with what it has written, and a store that can be away. */
function startRecorder(write: () => unknown = () => {}) {
  const batches: (readonly NotedUse[])[] = [];
  const refusals: NotedRefusal[] = [];
  const clock = fakeClock();
  const log = recordingLog();
  const store = {
    async note(uses: readonly NotedUse[]) {
      await write();
      batches.push(uses);
    },
    async noteRefusal(refusal: NotedRefusal) {
      await write();
      refusals.push(refusal);
    },
  };
  return { ...createAppUseRecorder(store, clock, log), batches, refusals, clock, log: log.lines };
}

test("notes a visit once an hour for each person and app, and reads the device once", async () => {
  const { noteVisit, flush, batches, clock } = startRecorder();
  let read = 0;
  const readDevice = () => {
    read += 1;
    return "Firefox";
  };
  const visitAll = (): void => {
    for (const app of ["photos", "wiki"])
      for (const user of [ANN, BOB])
        for (let times = 0; times < 3; times += 1) noteVisit(app, user, readDevice);
  };
  visitAll();
  clock.advance(HOUR - 1);
  visitAll();
  await flush();
  assert.deepEqual([read, batches.flat().length], [4, 4]);
  assert.deepEqual(batches[0]?.[0], {
    ...{ appId: "photos", userId: ANN, device: "Firefox" },
    ...{ at: new Date(Date.UTC(2030, 0, 1)), counts: "once-an-hour" },
  });
  clock.advance(1);
  visitAll();
  await flush();
  assert.equal(batches.flat().length, 8, "the next hour");
});

test("notes each sign-in, in batches, and of refusals the last one", async () => {
  const { noteSignIn, noteRefusal, flush, batches, refusals } = startRecorder();
  for (let times = 0; times < 250; times += 1) noteSignIn("photos", ANN, "Firefox");
  for (const uri of ["https://a.test/1", "https://a.test/2"]) noteRefusal("photos", ANN, uri);
  noteRefusal("photos", BOB);
  assert.deepEqual(batches, [], "no caller waits");
  await flush();
  assert.deepEqual(
    batches.map(({ length }) => length),
    [100, 100, 50],
  );
  assert.deepEqual(
    refusals.map(({ userId, refusedUri }) => [userId, refusedUri]),
    [
      [ANN, "https://a.test/2"],
      [BOB, undefined],
    ],
  );
});

test("writes by itself within seconds", async () => {
  const { noteVisit, batches } = startRecorder();
  noteVisit("photos", ANN, () => "");
  const end = performance.now() + 5_000;
  while (batches.length === 0 && performance.now() < end) await pause(50);
  assert.equal(batches.length, 1);
});

test("a store that is away costs a line in the server log, and later uses are noted", async () => {
  let isAway = true;
  const recorder = startRecorder(() => {
    if (isAway) throw new Error("the store is away");
  });
  recorder.noteSignIn("photos", ANN, "");
  recorder.noteRefusal("photos", BOB);
  await recorder.flush();
  assert.deepEqual(
    recorder.log.map(({ level, fields }) => [level, fields.reason]),
    [["warn", "the store is away"]],
  );
  isAway = false;
  recorder.noteSignIn("photos", ANN, "");
  await recorder.flush();
  assert.equal(recorder.batches.flat().length, 1);
});

test("a store that never answers delays no shutdown, and its queue has a limit", async () => {
  const { noteSignIn, noteRefusal, flush, batches, refusals } = startRecorder(
    () => new Promise(() => {}),
  );
  for (let times = 0; times < 20_000; times += 1) {
    noteSignIn("photos", ANN, "");
    noteRefusal("photos", toUserId(`${times}`));
  }
  const startedAt = performance.now();
  await flush();
  assert.ok(performance.now() - startedAt < 2_000);
  assert.deepEqual([batches, refusals], [[], []]);
});
