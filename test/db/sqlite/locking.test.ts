import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { openSqlite } from "../../../src/db/sqlite/store.ts";
import { Unavailable } from "../../../src/lib/fault.ts";
import { hashText, logEntry, newFile, openStore, summariesIn } from "../../support/store.ts";

async function storeAndHolder(t: TestContext) {
  const file = await newFile(t);
  const store = await openStore(t, file);
  const holder = new DatabaseSync(file);
  t.after(() => holder.close());
  return { store, holder };
}

/** Turns the event loop until `enough`, and returns the longest pause between two turns. */
async function longestPauseUntil(enough: () => boolean): Promise<number> {
  let longest = 0;
  for (let last = performance.now(); !enough(); ) {
    await turn();
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  return longest;
}

for (const lock of ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"]) {
  test(`while another connection holds the lock of ${lock}, the write waits and the event loop runs`, async (t) => {
    const { store, holder } = await storeAndHolder(t);
    const tries = t.mock.method(DatabaseSync.prototype, "exec").mock;
    const pauses: number[] = [];
    // A busy machine may stall one round; SQLite's own waiting would stall every one of them.
    for (let round = 1; round <= 3 && !pauses.some((ms) => ms < 100); round += 1) {
      holder.exec(lock);
      let written = false;
      tries.resetCalls();
      const username = `round ${round}`;
      const writing = store.users
        .insertFirst({ username, passwordHash: hashText("hash") })
        .then(() => {
          written = true;
        });
      pauses.push(await longestPauseUntil(() => tries.callCount() >= 8));
      assert.equal(written, false);
      holder.exec("COMMIT");
      await writing;
    }
    assert.equal((await store.users.findByName("round 1"))?.username, "round 1");
    assert.ok(Math.min(...pauses) < 100, `longest pauses: ${pauses.join(", ")} ms`);
  });
}

test("waits with opening and reading for an exclusive lock", async (t) => {
  const file = await newFile(t);
  const store = await openSqlite({ file });
  await store.users.insertFirst({ username: "owner", passwordHash: hashText("hash") });
  store.close();
  const holder = new DatabaseSync(file);
  holder.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  const tries = t.mock.method(DatabaseSync.prototype, "exec").mock;
  const opening = openSqlite({ file });
  await longestPauseUntil(() => tries.callCount() >= 5);
  holder.close();
  const reopened = await opening;
  t.after(() => reopened.close());
  assert.equal((await reopened.users.findByName("owner"))?.username, "owner");
});

test("reads while writes wait for another connection's lock, and completes them in order", async (t) => {
  const { store, holder } = await storeAndHolder(t);
  holder.exec("BEGIN IMMEDIATE");
  const inserting = store.log.insert([logEntry("first"), logEntry("second")]);
  const counting = store.users.insertFirst({ username: "owner", passwordHash: hashText("hash") });
  for (let i = 0; i < 100; i += 1) {
    assert.equal(await store.users.any(), false);
    assert.deepEqual(await store.log.read({ afterId: 0, limit: 1 }), []);
  }
  holder.exec("ROLLBACK");
  await inserting;
  assert.equal((await counting)?.username, "owner");
  assert.deepEqual(await summariesIn(store), ["first", "second"]);
});

test("fails as busy without writing when the lock is held too long", async (t) => {
  const { store, holder } = await storeAndHolder(t);
  holder.exec("BEGIN IMMEDIATE");
  const before = performance.now();
  const outcomes = await Promise.allSettled([
    store.users.insertFirst({ username: "owner", passwordHash: hashText("hash") }),
    store.log.insert([logEntry("lost")]),
  ]);
  const took = performance.now() - before;
  assert.ok(took > 4_900 && took < 9_000, `they gave up after ${took} ms`);
  for (const outcome of outcomes) {
    assert.ok(outcome.status === "rejected" && outcome.reason instanceof Unavailable);
    assert.equal(outcome.reason.code, "store_busy");
    assert.ok(outcome.reason.retryAfterSeconds > 0);
    assert.match(String(outcome.reason.cause), /database is locked/);
  }
  holder.exec("ROLLBACK");
  assert.equal(await store.users.any(), false);
  await store.log.insert([logEntry("afterwards")]);
  assert.deepEqual(await summariesIn(store), ["afterwards"]);
});

test("throws other failures at once", async (t) => {
  const { store, holder } = await storeAndHolder(t);
  holder.exec("DROP TABLE latchkey_users");
  const before = performance.now();
  await assert.rejects(store.users.any(), /no such table/);
  assert.ok(performance.now() - before < 1_000);
});
