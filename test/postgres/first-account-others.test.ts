import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewUser } from "../../src/db/records.ts";
import { runSql, setDefault } from "../support/postgres-admin.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { openNewStore, openStoreAt } from "../support/postgres-store.ts";
import { hashText } from "../support/store.ts";

const server = await sharedPostgres();

const OURS: NewUser = { username: "ours", passwordHash: hashText("hash") };
const THEIRS =
  "INSERT INTO latchkey_users (id, username, password_hash) VALUES ('x', 'theirs', '')";

async function usernamesIn(url: string): Promise<readonly unknown[]> {
  const rows = await runSql(url, "SELECT username FROM latchkey_users ORDER BY username");
  return rows.map(({ username }) => username);
}

test("the setup closes after a user is inserted with plain SQL", async (t) => {
  const { url, store } = await openNewStore(t, server);
  await runSql(url, THEIRS);
  assert.equal(await store.users.insertFirst(OURS), undefined);
  assert.equal(await store.users.any(), true);
  assert.deepEqual(await usernamesIn(url), ["theirs"]);
});

for (const level of ["read committed", "repeatable read", "serializable"]) {
  test(`exactly one of 32 concurrent setups succeeds with ${level} transactions`, async (t) => {
    const url = await server.newDatabase();
    await setDefault(url, "default_transaction_isolation", level);
    const stores = await Promise.all(Array.from({ length: 4 }, () => openStoreAt(t, url)));
    const racers = Array.from({ length: 32 }, (_, n) =>
      stores[n % stores.length]?.users.insertFirst({ ...OURS, username: `racer ${n}` }),
    );
    const won = (await Promise.all(racers)).filter((user) => user !== undefined);
    assert.equal(won.length, 1);
    assert.deepEqual(await usernamesIn(url), [won[0]?.username]);
  });
}
