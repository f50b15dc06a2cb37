import assert from "node:assert/strict";
import { test } from "node:test";
import { Unavailable } from "../../../src/core/base/fault.ts";
import { watchStore } from "../../../src/core/base/watch-store.ts";
import { operationsOf, wrapStore } from "../../../src/core/base/wrap-store.ts";
import type { Store } from "../../../src/core/store.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { recordingLog } from "../../support/recording-log.ts";

const away = new Unavailable("store_unavailable", "no answer", 2, { cause: new Error("refused") });
const busy = new Unavailable("store_busy", "locked", 2);

/** Of the store, only `users.any` is called. */
const storeOf = (users: { any(): Promise<boolean> }): Store =>
  Object.freeze({ users, log: {} }) as Store;

function watched() {
  let failing: Error | undefined;
  const users = {
    async any() {
      if (failing !== undefined) throw failing;
      return true;
    },
  };
  const clock = fakeClock();
  const log = recordingLog();
  const watchedStore = watchStore(storeOf(users), clock, log);
  return {
    log,
    async ask(failure: Error | undefined, afterMs = 0): Promise<void> {
      clock.advance(afterMs);
      failing = failure;
      const asked = watchedStore.users.any();
      if (failure === undefined) assert.equal(await asked, true);
      else await assert.rejects(asked, failure);
    },
    lines: () => log.lines.map(({ message, fields }) => [message, fields]),
  };
}

const AWAY = ["the database is away", { reason: "no answer", cause: "refused" }];

test("logs once that the store is away, and once that it is back", async () => {
  const { ask, lines } = watched();
  await ask(undefined);
  await ask(away, 999);
  assert.deepEqual(lines(), []);
  for (let n = 0; n < 100; n += 1) {
    await ask(away, 1 + n);
    assert.deepEqual(lines(), [AWAY]);
  }
  await ask(undefined, 1_000);
  await ask(undefined);
  const back = ["the database is back", { seconds: 6 }];
  assert.deepEqual(lines(), [AWAY, back]);
  await ask(away, 1_000);
  assert.deepEqual(lines(), [AWAY, back, AWAY]);
});

test("logs that the store is away if the first request fails", async () => {
  const { ask, lines } = watched();
  await ask(new Unavailable("store_unavailable", "no answer", 2));
  assert.deepEqual(lines(), [["the database is away", { reason: "no answer" }]]);
});

test("a store that answers others, is busy or has a fault is not away", async () => {
  const { ask, lines } = watched();
  for (let n = 0; n < 100; n += 1) {
    await ask(undefined, 500);
    await ask(away, 400);
  }
  for (const failure of [busy, new Error("a fault")]) await ask(failure, 60_000);
  assert.deepEqual(lines(), []);
  await ask(away);
  assert.deepEqual(lines(), [AWAY]);
});

test("a wrapped store makes each call under a name", async () => {
  const made: string[] = [];
  const { users } = wrapStore(storeOf({ any: async () => true }), (operation, call) => {
    made.push(operation);
    return call();
  });
  assert.equal(await users.any(), true);
  assert.deepEqual(made, ["users.any"]);
  const other = { users: { any: async () => true }, log: {}, links: { read() {} }, close() {} };
  assert.deepEqual(operationsOf(other as never), ["users.any", "links.read"]);
});
