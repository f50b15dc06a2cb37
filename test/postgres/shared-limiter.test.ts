import assert from "node:assert/strict";
import { test } from "node:test";
import { attemptRule } from "../../src/identity/attempt-limiter.ts";
import { runSql } from "../support/postgres-admin.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { openNewStore, openStoreAt } from "../support/postgres-store.ts";

const server = await sharedPostgres();

const ADDRESS = "192.0.2.1";

/** Makes all recorded attempts older by this number of seconds. */
const pass = (url: string, seconds: number): Promise<unknown> =>
  runSql(
    url,
    `UPDATE latchkey_attempts
     SET made = ARRAY(SELECT at - interval '${seconds} seconds' FROM unnest(made) AS at)`,
  );

const track = (url: string, count: number): Promise<unknown> =>
  runSql(
    url,
    `INSERT INTO latchkey_attempts
     SELECT '2001:db8::' || n, ARRAY[clock_timestamp()] FROM generate_series(1, ${count}) AS n`,
  );

async function trackedIn(url: string): Promise<Readonly<Record<string, number>>> {
  const counted = "SELECT address, cardinality(made) AS made FROM latchkey_attempts";
  const rows = await runSql(url, counted);
  return Object.fromEntries(rows.map(({ address, made }) => [String(address), Number(made)]));
}

const times = (count: number, what: string): readonly string[] => Array(count).fill(what);

async function attempts(
  store: Awaited<ReturnType<typeof openStoreAt>>,
  count: number,
  address: string = ADDRESS,
): Promise<readonly string[]> {
  const answers: string[] = [];
  for (let n = 0; n < count; n += 1)
    answers.push(await store.attempts.record(address, attemptRule));
  return answers;
}

test("slides the window: each attempt expires after a minute", async (t) => {
  const { url, store } = await openNewStore(t, server);
  await attempts(store, 3);
  await pass(url, 30);
  assert.deepEqual(await attempts(store, 3), ["allowed", "allowed", "denied"]);
  await pass(url, 29);
  assert.deepEqual(await attempts(store, 1), ["denied"]);
  await pass(url, 2);
  assert.deepEqual(await attempts(store, 4), [...times(3, "allowed"), "denied"]);
  assert.deepEqual(await trackedIn(url), { [ADDRESS]: 5 }, "expired attempts are removed");
});

test("forgets attempts of a clock that was ahead", async (t) => {
  const { url, store } = await openNewStore(t, server);
  await attempts(store, 5);
  await pass(url, -3_600);
  assert.deepEqual(await attempts(store, 1), ["allowed"]);
  assert.deepEqual(await trackedIn(url), { [ADDRESS]: 1 });
  await pass(url, -3_600);
  await store.attempts.forget(attemptRule);
  assert.deepEqual(await trackedIn(url), {});
});

test("admits one more address at 10,000, and then denies every attempt", async (t) => {
  const { url, store } = await openNewStore(t, server);
  await track(url, 10_000);
  assert.deepEqual(await attempts(store, 1), ["allowed"]);
  assert.deepEqual(await attempts(store, 1, "192.0.2.2"), ["denied"]);
  assert.deepEqual(await attempts(store, 1), ["denied"]);
  await pass(url, 61);
  assert.deepEqual(await attempts(store, 1), ["denied"], "until the next clean-up");
  await store.attempts.forget(attemptRule);
  assert.deepEqual(await attempts(store, 1), ["allowed"]);
});

test("cleans up concurrently with other clean-ups and attempts", async (t) => {
  const { url, store } = await openNewStore(t, server);
  const other = await openStoreAt(t, url);
  await track(url, 5_000);
  await pass(url, 61);
  const tried = attempts(store, 5);
  await Promise.all([store, other, store].map((one) => one.attempts.forget(attemptRule)));
  assert.deepEqual(await tried, times(5, "allowed"));
  assert.deepEqual(await trackedIn(url), { [ADDRESS]: 5 });
});
