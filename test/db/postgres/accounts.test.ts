import assert from "node:assert/strict";
import { test } from "node:test";
import { openTransaction, setDefault, untilBlocked } from "../../support/postgres-admin.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { openNewStore, openStoreAt } from "../../support/postgres-store.ts";
import { hashText } from "../../support/store.ts";

const server = await sharedPostgres();

for (const level of ["read committed", "repeatable read", "serializable"]) {
  test(`of two last accounts whose removals wait for each other, one stays: ${level}`, async (t) => {
    const { url, store } = await openNewStore(t, server);
    for (const username of ["owner", "guest"]) {
      await store.users.insert({ username, passwordHash: hashText("a hash") });
    }
    await setDefault(url, "default_transaction_isolation", level);
    const connections = [await openStoreAt(t, url), await openStoreAt(t, url)];
    const users = await store.users.read("", 2);
    const other = await openTransaction(t, url);
    await other.query("UPDATE latchkey_users SET password_hash = password_hash");
    const removals = users.map(({ id }, i) => connections[i]?.users.remove(id));
    await untilBlocked(url, 2);
    await other.end();
    const answers = await Promise.all(removals);
    assert.deepEqual([...answers].sort(), ["last", "removed"]);
    assert.deepEqual(await store.users.read("", 9), [users[answers.indexOf("last")]]);
  });
}
