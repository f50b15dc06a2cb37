import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import { openTransaction, runSql } from "../../support/postgres-admin.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { openNewStore, openStoreAt } from "../../support/postgres-store.ts";
import { rows, user } from "../either.ts";

const server = await sharedPostgres();

test("allows an import more time than a page", async (t) => {
  const { url, store } = await openNewStore(t, server);
  const other = await openTransaction(t, url);
  await other.query("UPDATE latchkey_log_end SET id = id");
  const importing = store.transfer.importRows(rows([], ["copied"]));
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
    AND datname = current_database() AND clock_timestamp() > query_start + interval '2 seconds'`;
  const waits = eventually(async () => (await runSql(url, waiting)).length > 0 || undefined);
  await Promise.race([waits, importing]);
  await other.end();
  assert.equal(await importing, "imported");
});

test("reads users sorted by ID bytes in any collation", async (t) => {
  const name = `sorted_${randomUUID().replaceAll("-", "")}`;
  await server.sql(
    `CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`,
  );
  const store = await openStoreAt(t, server.url(name));
  await store.transfer.importRows(rows(["b", "A", "ä", "a", "B"].map((id) => user(id))));
  const ids = (await store.users.read("A", 9)).map(({ id }) => id);
  assert.deepEqual(ids, ["B", "a", "b", "ä"]);
});

test("stores the longest username and unusual text", async (t) => {
  const { store } = await openNewStore(t, server);
  // Random, since what can be compressed would fit at any length.
  const long = Array.from({ length: 650 }, (_, i) =>
    String.fromCodePoint(0x20000 + ((i * 7919) % 42_000)),
  ).join("");
  const page = rows([user("1", long), user("2", "\u0001\n\uffff'\"\\")], ["\u0001\u2028"]);
  assert.equal(Buffer.byteLength(long), 2_600);
  assert.equal(await store.transfer.importRows(page), "imported");
  assert.equal((await store.users.findByName(long))?.username, long);
});
