import assert from "node:assert/strict";
import { test } from "node:test";
import { recently } from "../../src/lib/recently.ts";
import { fakeClock } from "../support/fake-clock.ts";

test("reads again after a second, a change or a failure", async () => {
  const clock = fakeClock();
  let reads = 0;
  let reading: () => unknown = () => {};
  const fact = recently(async () => {
    reads += 1;
    await reading();
    return reads;
  }, clock);
  const values = [await fact.read(), await fact.read()];
  for (const ms of [999, 1]) {
    clock.advance(ms);
    values.push(await fact.read());
  }
  fact.forget();
  reading = fact.forget;
  values.push(await fact.read());
  reading = () => Promise.reject(new Error("locked"));
  await assert.rejects(async () => fact.read(), /locked/);
  reading = () => {};
  values.push(await fact.read(), await fact.read());
  assert.deepEqual(values, [1, 1, 1, 2, 3, 5, 5]);
});
