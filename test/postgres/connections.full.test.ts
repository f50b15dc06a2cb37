import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { Unavailable } from "../../src/lib/fault.ts";
import { eventually } from "../support/eventually.ts";
import { startPostgres } from "../support/postgres.ts";
import { openTransaction } from "../support/postgres-admin.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { openNewStore, openOnPool, openStoreAt } from "../support/postgres-store.ts";
import { hashText, logEntry } from "../support/store.ts";

const server = await sharedPostgres();

async function connectionsTo(database: string): Promise<readonly string[]> {
  const rows = await server.sql(
    `SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'latchkey schema %' AND datname = '${database}'`,
  );
  return rows.map(({ pid }) => String(pid));
}

/** Ends the store's connections, and blocks the event loop so that the store does not notice. */
async function endUnnoticed(database: string): Promise<void> {
  const pids = (await connectionsTo(database)).join(" ");
  assert.notEqual(pids, "");
  const ended = `kill -TERM ${pids}; for pid in ${pids}; do while kill -0 $pid; do :; done; done`;
  execFileSync("sh", ["-c", ended], { stdio: "ignore", timeout: 5_000 });
}

test("a connection that broke unnoticed fails at most one query, with a 503", async (t) => {
  const database = await server.createDatabase();
  const store = await openStoreAt(t, server.url(database));
  await store.users.any();
  await endUnnoticed(database);
  const first = await store.users.any().catch((error: unknown) => error);
  assert.ok(first === false || first instanceof Unavailable, String(first));
  for (let n = 0; n < 3; n += 1) assert.equal(await store.users.any(), false);
});

test("keeps the connection after a statement error, which is not Unavailable", async (t) => {
  const database = await server.createDatabase();
  const store = await openStoreAt(t, server.url(database));
  const before = await connectionsTo(database);
  await server.sql("ALTER TABLE latchkey_users RENAME TO hidden", database);
  await assert.rejects(store.users.any(), (error: Error) => {
    assert.ok(!(error instanceof Unavailable));
    assert.match(error.message, /relation "public.latchkey_users" does not exist/);
    return true;
  });
  await server.sql("ALTER TABLE hidden RENAME TO latchkey_users", database);
  assert.equal(await store.users.any(), false);
  assert.deepEqual(await connectionsTo(database), before);
});

test("lets the server cancel a statement that takes too long", async (t) => {
  const { url, store } = await openNewStore(t, server);
  const locking = await openTransaction(t, url);
  await locking.query("LOCK TABLE latchkey_log_end");
  const entry = logEntry("late");
  // While the lock is held.
  await assert.rejects(store.log.insert([entry]), Unavailable);
  await locking.end();
  assert.deepEqual(await store.log.read({ afterId: 0, limit: 10 }), []);
  await store.log.insert([entry]);
  assert.equal((await store.log.read({ afterId: 0, limit: 10 })).length, 1);
});

test("does not run a statement whose caller has already timed out", async (t) => {
  const own = await startPostgres(t);
  // Waits for a connection without a limit, as a caller's own pool may do.
  const { store, pool } = await openOnPool(t, own.url());
  await own.freeze();
  await assert.rejects(store.users.any(), Unavailable);
  const user = { username: "late", passwordHash: hashText("hash") };
  await eventually(async () => {
    await assert.rejects(store.users.insertFirst(user), Unavailable);
    return pool.totalCount > pool.idleCount || undefined;
  });
  await own.thaw();
  await eventually(() => pool.totalCount === pool.idleCount || undefined);
  assert.deepEqual(await own.sql("SELECT username FROM latchkey_users"), []);
});
