/** Backups that an attacker has prepared: none of their own objects may reach the database. */
import assert from "node:assert/strict";
import { copyFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { checkDatabase } from "../../../src/doctor/database.ts";
import { findings } from "../../doctor/installation.ts";
import { failureOf, outputOf } from "../../support/command.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { contentOf, filled } from "./backup-place.ts";

const ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT";
const REVIVED = "INSERT INTO latchkey_users (id, username, password_hash) VALUES ('1', 'back', '')";
/** Takes about a day to evaluate. */
const LONG =
  "instr(replace(hex(zeroblob(9000000)), '0', 'a'), replace(hex(zeroblob(4000000)), '0', 'a') || 'b')";
const inSchema = (change: string): string => `PRAGMA writable_schema = ON; ${change}`;
const rewritten = (from: string, to: string): string =>
  inSchema(`UPDATE sqlite_master SET sql = replace(sql, '${from}', '${to}')`);
const row = (type: string, name: string, sql: string): string =>
  inSchema(`INSERT INTO sqlite_master VALUES ('${type}', '${name}', '${name}', 0, '${sql}')`);

const changes: Readonly<Record<string, string>> = {
  "a trigger that brings a user back": `CREATE TRIGGER t AFTER DELETE ON latchkey_users BEGIN ${REVIVED}; END`,
  "a trigger that deletes":
    "CREATE TRIGGER t AFTER INSERT ON latchkey_sessions BEGIN DELETE FROM latchkey_users; END",
  "a trigger that drops log entries":
    "CREATE TRIGGER t BEFORE INSERT ON latchkey_log BEGIN SELECT RAISE(IGNORE); END",
  "a trigger with SQL in its name": `CREATE TRIGGER "x""; DROP TABLE latchkey_users; --" AFTER DELETE ON latchkey_users BEGIN ${REVIVED}; END`,
  "an endless view": `CREATE VIEW v AS ${ENDLESS} * FROM n`,
  "an index on an expression": "CREATE INDEX i ON latchkey_users (username || 1)",
  "a unique index": "CREATE UNIQUE INDEX i ON latchkey_log (summary)",
  "a table that keeps users":
    "CREATE TABLE k (id TEXT REFERENCES latchkey_users (id) ON DELETE RESTRICT)",
  "a full-text table": "CREATE VIRTUAL TABLE f USING fts5 (t)",
  statistics: "ANALYZE",
  "a trigger that calls a function":
    "CREATE TRIGGER t AFTER INSERT ON latchkey_users BEGIN DELETE FROM latchkey_log WHERE type LIKE 'a'; END",
  "a trigger that is listed as an index": inSchema(
    `CREATE TRIGGER t AFTER DELETE ON latchkey_users BEGIN ${REVIVED}; END; UPDATE sqlite_master SET type = 'index' WHERE name = 't'`,
  ),
  "an endless view in place of the users": `ALTER TABLE latchkey_users RENAME TO u; CREATE VIEW latchkey_users AS ${ENDLESS} i AS id, i AS username, i AS password_hash FROM n`,
  "an endless view in place of the log": `ALTER TABLE latchkey_log RENAME TO e; CREATE VIEW latchkey_log AS ${ENDLESS} i AS id, i AS at, i AS type, i AS summary, i AS author FROM n`,
  "a view that hides the objects": row(
    "view",
    "sqlite_schema",
    "CREATE VIEW sqlite_schema AS SELECT * FROM latchkey_users",
  ),
  "a generated column": "ALTER TABLE latchkey_users ADD COLUMN g TEXT AS (username || 1)",
  "an index that calls a function": "CREATE INDEX i ON latchkey_users (lower(username))",
  "another collation": rewritten("username TEXT NOT NULL", "username TEXT COLLATE NOCASE NOT NULL"),
  "a check": rewritten("password_hash TEXT NOT NULL", "password_hash TEXT NOT NULL CHECK (1)"),
  "a default": rewritten("secret TEXT", "secret TEXT DEFAULT 1"),
  "text after a NUL": inSchema(
    "UPDATE sqlite_master SET sql = sql || char(0) || 'x' WHERE name = 'latchkey_users'",
  ),
  "statistics that take a day to load":
    inSchema(`CREATE TABLE s (tbl, idx, x); INSERT INTO s VALUES ('latchkey_users', NULL, 1);
     UPDATE sqlite_master SET name = 'sqlite_stat1', tbl_name = 'sqlite_stat1',
       sql = 'CREATE TABLE sqlite_stat1 (tbl, idx, x, stat AS (${LONG.replaceAll("'", "''")}))' WHERE name = 's'`),
  "10,000 views":
    inSchema(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000)
     INSERT INTO sqlite_master SELECT 'view', 'v' || i, 'v' || i, 0, 'CREATE VIEW v' || i || ' AS SELECT 1' FROM n`),
};

async function problemOf(file: string) {
  const found = await findings(checkDatabase, { env: { DATABASE_URL: `sqlite:${file}` } });
  return { found: "", remedy: "", ...found.find(({ outcome }) => outcome === "problem") };
}

for (const [name, change] of Object.entries(changes)) {
  test(`refuses a backup with ${name}, which the doctor reports in a database`, async (t) => {
    const { backup: good } = await filled(t, [], 0);
    const { database } = await filled(t, ["owner"], 2);
    await copyFile(database, good);
    const bad = join(await tempDir(t), "latchkey.db");
    await copyFile(database, bad);
    const attacker = new DatabaseSync(bad, { defensive: false });
    attacker.exec(change);
    attacker.close();
    const DATA_DIR = await tempDir(t);
    const line = await failureOf(["restore", bad], { env: { DATA_DIR } });
    assert.match(line, /has a foreign schema: |malformed database schema/);
    assert.deepEqual(await readdir(DATA_DIR), []);
    const copied = ["copy", "--from", `sqlite:${bad}`, "--to", `sqlite:${DATA_DIR}/copy.db`];
    assert.match(await failureOf(copied), /foreign schema: |malformed database schema/);

    const env = { DATABASE_URL: `sqlite:${bad}` };
    const problem = await problemOf(bad);
    assert.match(problem.found, /has a foreign schema: |malformed database schema/);
    assert.match(problem.remedy, /run latchkey restore/);
    await outputOf(["restore", "--force", good], { env });
    assert.equal((await problemOf(bad)).found, "");
    assert.deepEqual((await contentOf(bad)).usernames, ["owner"]);
  });
}
