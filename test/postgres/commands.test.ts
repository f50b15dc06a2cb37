import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { failureOf, runCommand } from "../support/command.ts";
import { startGate } from "../support/gate.ts";
import { runSql } from "../support/postgres-admin.ts";
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
  await store.insertLogEntries([logEntry("before")]);
  const env = { DATABASE_URL, DATA_DIR: await tempDir(t) };
  const following = startLatchkey(t, ["log", "--follow", "--json"], env);
  await following.shows(/"before"/);
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      (n % 2 ? store : other).insertLogEntries([logEntry(`by ${n % 2}`)]),
    ),
  );
  await store.insertLogEntries([logEntry("last")]);
  await following.shows(/"last"/);
  const ids = [...following.stdout().matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
  assert.deepEqual(
    ids,
    Array.from({ length: 22 }, (_, n) => n + 1),
  );
});

test("setup-link prints a link while no account exists, creates no tables, and fails once one exists", async (t) => {
  const DATABASE_URL = await server.newDatabase();
  const env = { DATABASE_URL, DATA_DIR: await tempDir(t) };
  const before = await runCommand(["setup-link"], { env });
  assert.equal(before.code, 0);
  assert.match(before.stderr, /^latchkey: the token is in \S+\/setup-token: /);
  const [, token] = /\/setup\?token=(\S+)\n$/.exec(before.stdout) ?? [];
  assert.equal((await readFile(join(env.DATA_DIR, "setup-token"), "utf8")).trim(), token);
  assert.deepEqual(
    await runSql(DATABASE_URL, "SELECT FROM pg_tables WHERE tablename LIKE 'latchkey%'"),
    [],
  );
  const gate = await startGate(t, { databaseUrl: DATABASE_URL });
  await gate.setUp();
  const refusal = await failureOf(["setup-link"], { env });
  assert.equal(refusal, "there is already an account, so setup is closed");
});
