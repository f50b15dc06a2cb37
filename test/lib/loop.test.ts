import assert from "node:assert/strict";
import { test } from "node:test";
import { startLoop } from "../../src/lib/loop.ts";

const HOUR_MS = 3_600_000;

test("checks after the pause, and again when it is woken", async () => {
  const checks = [0, 1, 2].map(() => Promise.withResolvers<void>());
  let count = 0;
  const loop = startLoop(0, async () => {
    checks[count]?.resolve();
    count += 1;
    return HOUR_MS;
  });
  await checks[0]?.promise;
  loop.wake();
  await checks[1]?.promise;
  await loop.stop();
  loop.wake();
  assert.equal(count, 2);
});

test("checks again at once when it is woken during a check", async () => {
  const second = Promise.withResolvers<void>();
  let count = 0;
  const loop = startLoop(0, async () => {
    count += 1;
    if (count === 1) loop.wake();
    if (count === 2) second.resolve();
    return HOUR_MS;
  });
  await second.promise;
  await loop.stop();
  assert.equal(count, 2);
});

test("a wake before the first check is no check too many", async () => {
  const first = Promise.withResolvers<void>();
  let count = 0;
  const loop = startLoop(HOUR_MS, async () => {
    count += 1;
    first.resolve();
    return HOUR_MS;
  });
  loop.wake();
  loop.wake();
  await first.promise;
  await loop.stop();
  assert.equal(count, 1);
});

test("a stop waits for the check that runs, and tells it", async () => {
  const running = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  let isDone = false;
  const loop = startLoop(0, async (stop) => {
    running.resolve();
    await release.promise;
    isDone = stop.aborted;
    return 0;
  });
  await running.promise;
  const stopped = loop.stop();
  release.resolve();
  await stopped;
  assert.equal(isDone, true);
});
