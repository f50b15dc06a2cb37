import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { inspectPostgres } from "../../src/db/postgres/inspect.ts";
import { openPostgres } from "../../src/db/postgres/store.ts";
import { checkAccounts } from "../../src/doctor/accounts.ts";
import { checkDatabase } from "../../src/doctor/database.ts";
import { checkGate } from "../../src/doctor/gate.ts";
import { SECRET, startGate } from "../support/gate.ts";
import { runSql } from "../support/postgres-admin.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { openStoreAt } from "../support/postgres-store.ts";
import { hashText } from "../support/store.ts";
import { assertFound, findings, installation } from "./installation.ts";

const server = await sharedPostgres();

const checkAt = (DATABASE_URL: string) => findings(checkDatabase, { env: { DATABASE_URL } });

async function usedDatabase(t: TestContext): Promise<string> {
  const url = await server.newDatabase();
  const store = await openStoreAt(t, url);
  await store.users.insertFirst({ username: "owner", passwordHash: hashText("hash") });
  return url;
}

test("reports ok for a PostgreSQL in use, with its version, role and schema", async (t) => {
  const found = await checkAt(await usedDatabase(t));
  assertFound(found, [
    "ok",
    new RegExp(
      `^PostgreSQL \\d+\\.\\d+ at 127\\.0\\.0\\.1:${server.port} is the primary \\(plain\\), schema \\d+$`,
    ),
  ]);
});

test("reports ok for an empty database before the first start", async () => {
  const url = await server.newDatabase();
  assertFound(await checkAt(url), [
    "ok",
    /no tables yet: the gate creates them at its first start/,
  ]);
  const tables = await runSql(url, "SELECT FROM pg_tables WHERE schemaname = 'public'");
  assert.equal(tables.length, 0);
});

test("reports a database of a newer Latchkey", async () => {
  const url = await server.newDatabase();
  await (await openPostgres({ url })).close();
  await runSql(url, "UPDATE latchkey_schema SET version = 99");
  assertFound(await checkAt(url), ["problem", /has schema 99, .* up to \d+$/, /newer Latchkey/]);
});

test("reports roles that can create objects next to the tables, except for owners", async (t) => {
  const url = await usedDatabase(t);
  const database = new URL(url).pathname.slice(1);
  await runSql(
    url,
    `CREATE ROLE "a guest"; CREATE ROLE owning; ALTER DATABASE ${database} OWNER TO owning;
     GRANT CREATE ON SCHEMA public TO PUBLIC, owning; GRANT CREATE ON DATABASE ${database} TO "a guest"`,
  );
  const found = await checkAt(url);
  assertFound(
    found,
    [
      "hint",
      /^every role can create objects in the schema of Latchkey's tables/,
      /^run REVOKE CREATE ON SCHEMA public FROM PUBLIC as its owner/,
    ],
    [
      "hint",
      /^the role "a guest" can create objects in the database,/,
      new RegExp(`^run REVOKE CREATE ON DATABASE ${database} FROM "a guest" as its owner`),
    ],
  );
  for (const finding of found) {
    const [revoke = ""] =
      ("remedy" in finding ? finding.remedy : "").match(/REVOKE.*(?= as its)/) ?? [];
    await runSql(url, revoke);
  }
  assertFound(await checkAt(url), ["ok", /is the primary/]);
});

for (const [kind, change] of [
  [
    "trigger",
    `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
     CREATE TRIGGER t AFTER DELETE ON latchkey_users EXECUTE FUNCTION f()`,
  ],
  ["rule", "CREATE RULE r AS ON INSERT TO latchkey_log DO INSTEAD NOTHING"],
  ["policy", "CREATE POLICY p ON latchkey_sessions USING (false)"],
  ["child table", "CREATE TABLE c () INHERITS (latchkey_users)"],
  [
    "view",
    `ALTER TABLE latchkey_users RENAME TO u; CREATE VIEW latchkey_users AS
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i::text AS id FROM n`,
  ],
] as const) {
  test(`reports a ${kind} on the tables: ${change.split(" ", 3).join(" ")}`, async (t) => {
    const url = await usedDatabase(t);
    await runSql(url, change);
    const found = await checkAt(url);
    assertFound(found, [
      "problem",
      new RegExp(`has a foreign schema: the ${kind} \\S+ is not`),
      /dump/,
    ]);
    assert.equal(await findings(checkAccounts, { env: { DATABASE_URL: url } }).then(String), "");
  });
}

test("reports a connection over a socket as such", async () => {
  const { pathname } = new URL(await server.newDatabase());
  const url = `postgres://postgres@${pathname}?host=${server.socketFolder}&port=${server.port}`;
  assertFound(await checkAt(url), ["ok", /is the primary \(through its socket\)/]);
});

test("detects whether PostgreSQL has an account", async (t) => {
  const env = { HOST: "0.0.0.0", SETUP_TOKEN: "off" };
  const checkWith = (DATABASE_URL: string) =>
    findings(checkAccounts, { env: { ...env, DATABASE_URL } });
  const url = await usedDatabase(t);
  assertFound(await checkWith(url), ["hint", /^no account without an end is in the group admins$/]);
  await runSql(url, "UPDATE latchkey_users SET groups = ',a,admins,'");
  assertFound(await checkWith(url), ["ok", /^an account exists$/]);
  assertFound(await checkWith(await server.newDatabase()), [
    "problem",
    /can create the first one$/,
    /setup-link/,
  ]);
});

test("reports a clock that differs from the database's by 30 seconds", async () => {
  const DATABASE_URL = await server.newDatabase();
  const [seen] = await inspectPostgres(DATABASE_URL);
  assert.ok(seen?.kind === "answers" && Math.abs(seen.aheadMs) < 2_000);
  const foundAt = (aheadMs: number) => {
    const hosts = [{ ...seen, host: "db", aheadMs }];
    const database = async () => ({ kind: "postgres", hosts }) as const;
    return checkDatabase.run({
      ...installation({ env: { DATABASE_URL } }),
      inspectDatabase: database,
    });
  };
  assertFound(await foundAt(29_000), ["ok", /is the primary/]);
  assertFound(await foundAt(-29_000), ["ok", /is the primary/]);
  const behind = /is 30 seconds behind that of the database at db$/;
  assertFound(await foundAt(30_000), ["hint", behind]);
  assertFound(await foundAt(-300_000), ["problem", /is 300 seconds ahead of/, /timedatectl/]);
});

test("compares the database with that of the running gate", async (t) => {
  const databaseUrl = await server.newDatabase();
  const { url, dataDir } = await startGate(t, { databaseUrl });
  const env = { PORT: new URL(url).port, DATA_DIR: dataDir, AUTH_SECRET: SECRET };
  const checkWith = (DATABASE_URL: string) =>
    findings(checkGate, { env: { ...env, DATABASE_URL } });
  assertFound(await checkWith(databaseUrl), ["ok", /^the gate runs/]);
  const others = [await server.newDatabase(), await usedDatabase(t), `sqlite:${dataDir}/a.db`];
  for (const other of others) {
    assertFound(await checkWith(other), ["problem", /has another database/, /DATABASE_URL/]);
  }
});
