import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { openStoreAt } from "../support/postgres-store.ts";
import { startLatchkey } from "../support/process.ts";
import { logEntry } from "../support/store.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = await sharedPostgres();

test("log --follow prints each new entry of all gates once", async (t) => {
  const DATABASE_URL = await server.newDatabase();
  const store = await openStoreAt(t, DATABASE_URL);
  const other = await openStoreAt(t, DATABASE_URL);
  await store.log.insert([logEntry("before")]);
  const env = { DATABASE_URL, DATA_DIR: await tempDir(t) };
  const following = startLatchkey(t, ["log", "--follow", "--json"], env);
  await following.shows(/"before"/);
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      (n % 2 ? store : other).log.insert([logEntry(`by ${n % 2}`)]),
    ),
  );
  await store.log.insert([logEntry("last")]);
  await following.shows(/"last"/);
  const ids = [...following.stdout().matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
  const all = Array.from({ length: 22 }, (_, n) => n + 1);
  assert.deepEqual(ids, all);
});
