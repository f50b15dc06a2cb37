import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { watchOlderInstances } from "../../src/gate/older-instances.ts";
import { createServerLog } from "../../src/gate/server-log.ts";
import { NEWEST_SCHEMA } from "../../src/stores/statements/schema.ts";
import { eventually } from "../support/eventually.ts";
import { startGate } from "../support/gate.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { openNewStore } from "../support/postgres-store.ts";

const server = await sharedPostgres();

/** Connects as a Latchkey of that schema does. */
async function connectAs(t: TestContext, url: string, schema: number): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `latchkey schema ${schema}`,
  });
  await client.connect();
  t.after(() => client.end().catch(() => {}));
  return client;
}

test("warns once while an older version is connected, and logs once that it is gone", async (t) => {
  const { store, url } = await openNewStore(t, server);
  const older = await connectAs(t, url, NEWEST_SCHEMA - 1);
  await connectAs(t, url, NEWEST_SCHEMA + 1);
  const lines: string[] = [];
  const log = createServerLog("info", { write: (line) => lines.push(JSON.parse(line).msg) });
  let looks = 0;
  const look = async () => {
    looks += 1;
    return store.olderSchemas();
  };
  const watch = watchOlderInstances(look, log, 5);
  t.after(() => watch.stop());
  await eventually(() => (looks > 3 ? true : undefined));
  assert.deepEqual(await store.olderSchemas(), [NEWEST_SCHEMA - 1]);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /^an older version uses the database/);
  await older.end();
  const [, gone] = await eventually(() => (lines.length > 1 ? lines : undefined));
  assert.equal(gone, "no older version uses the database any more");
  await watch.stop();
});

test("the gate looks for older versions at its start", async (t) => {
  const databaseUrl = await server.newDatabase();
  await connectAs(t, databaseUrl, NEWEST_SCHEMA - 1);
  const place = { kind: "postgres", url: databaseUrl } as const;
  const { serverLog } = await startGate(t, { database: place });
  const found = await eventually(() =>
    serverLog.find(({ msg }) => /^an older version uses/.test(String(msg))),
  );
  assert.deepEqual([found.level, found.schemas], ["warn", [NEWEST_SCHEMA - 1]]);
});
