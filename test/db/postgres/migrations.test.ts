import assert from "node:assert/strict";
import { test } from "node:test";
import { openPostgres } from "../../../src/db/postgres/store.ts";
import { changeForm, OWNER, startGate } from "../../support/gate.ts";
import { openTransaction, runSql, setDefault, untilBlocked } from "../../support/postgres-admin.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { openNewStore, openStoreAt } from "../../support/postgres-store.ts";

const server = await sharedPostgres();

async function tablesIn(url: string): Promise<readonly string[]> {
  const tables = "SELECT tablename FROM pg_tables WHERE tablename LIKE 'latchkey%' ORDER BY 1";
  const rows = await runSql(url, tables);
  return rows.map(({ tablename }) => String(tablename));
}

test("opens an empty database ten times at once, of which one migrates", async (t) => {
  const url = await server.newDatabase();
  // Every command leaves a line that is undone with the transaction of a migration that fails.
  await runSql(
    url,
    `CREATE TABLE made (what text, by xid8);
     CREATE FUNCTION note_made() RETURNS event_trigger LANGUAGE plpgsql AS
       'BEGIN INSERT INTO public.made SELECT object_identity, pg_current_xact_id()
        FROM pg_event_trigger_ddl_commands(); END';
     CREATE EVENT TRIGGER note_made ON ddl_command_end EXECUTE FUNCTION note_made()`,
  );
  const stores = await Promise.all(Array.from({ length: 10 }, () => openStoreAt(t, url)));
  for (const store of stores) assert.equal(await store.users.any(), false);
  const counted = "SELECT what, count(DISTINCT by)::int AS times FROM made GROUP BY what";
  const made = await runSql(url, counted);
  assert.ok(made.some(({ what }) => what === "public.latchkey_users"));
  const again = made.filter(({ times }) => times !== 1);
  assert.deepEqual(again, []);
});

test("does not wait for locks on an up-to-date database", async (t) => {
  const url = await server.newDatabase();
  await openStoreAt(t, url);
  const tables = await tablesIn(url);
  assert.ok(tables.length > 3, tables.join());
  // Stricter than what any use of them holds: only reading goes along with it.
  const user = await openTransaction(t, url);
  await user.query(`LOCK TABLE ${tables.join()} IN EXCLUSIVE MODE`);
  await setDefault(url, "lock_timeout", "50ms");
  const store = await openStoreAt(t, url);
  assert.equal(await store.users.any(), false);
});

test("waits for a running migration of another process", async (t) => {
  const url = await server.newDatabase();
  await openStoreAt(t, url);
  const [row] = await runSql(url, "SELECT version FROM latchkey_schema");
  await runSql(url, "UPDATE latchkey_schema SET version = 0");
  const migrating = await openTransaction(t, url);
  await migrating.query("SELECT version FROM latchkey_schema FOR UPDATE");
  const opening = openStoreAt(t, url);
  await untilBlocked(url);
  await migrating.query(`UPDATE latchkey_schema SET version = ${row?.version}`);
  await migrating.end();
  assert.equal(await (await opening).users.any(), false);
});

test("rolls a failed migration back and repeats it at the next start", async (t) => {
  const url = await server.newDatabase();
  await runSql(url, "CREATE TABLE latchkey_log (in_the_way int)");
  await assert.rejects(openPostgres({ url }), { code: "42P07" });
  assert.deepEqual(await tablesIn(url), ["latchkey_log"]);
  await runSql(url, "DROP TABLE latchkey_log");
  assert.equal(await (await openStoreAt(t, url)).users.any(), false);
});

test("refuses the schema of a newer Latchkey, also if it may not create tables", async (t) => {
  const { url } = await openNewStore(t, server);
  await runSql(url, "UPDATE latchkey_schema SET version = 99");
  await assert.rejects(openPostgres({ url, missing: "refuse" }), { code: "schema_newer" });
});

test("refuses a database without tables without creating them", async () => {
  const url = await server.newDatabase();
  await assert.rejects(openPostgres({ url, missing: "refuse" }), { code: "database_missing" });
  assert.deepEqual(await tablesIn(url), []);
});

/** The URL of a role that may read and write rows, and change nothing else. */
async function rowsOnly(url: string): Promise<string> {
  const role = `rows_${new URL(url).pathname.slice(6)}`;
  await runSql(
    url,
    `CREATE ROLE ${role} LOGIN;
     GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
  );
  return url.replace("//postgres@", `//${role}@`);
}

test("serves with a role that can only read and write rows", async (t) => {
  const url = await server.newDatabase();
  await openStoreAt(t, url);
  const databaseUrl = await rowsOnly(url);
  const gate = await startGate(t, { databaseUrl, limiter: "shared", logRetentionMs: 3_600_000 });
  const session = await gate.setUp();
  assert.equal((await gate.signIn()).location, "/");
  const form = changeForm(OWNER.password, "battery staple");
  assert.equal((await gate.send("/account/password", { form, session })).status, 303);
  const types = (await gate.logEntries(3)).map(({ type }) => type);
  assert.deepEqual(types, ["signup", "signin", "password_change"]);
  const complaints = gate.serverLog.filter(({ level }) => level !== "info");
  assert.deepEqual(complaints, []);
});

test("reports a role that must not create tables", async () => {
  const databaseUrl = await rowsOnly(await server.newDatabase());
  await assert.rejects(openPostgres({ url: databaseUrl }), /permission denied for schema public/);
});
