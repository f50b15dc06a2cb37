import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { eq, gt, inArray } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { getTableConfig as readPgTable } from "drizzle-orm/pg-core";
import { getTableConfig as readSqliteTable } from "drizzle-orm/sqlite-core";
import { drizzle as drizzleSqlite } from "drizzle-orm/sqlite-proxy";
import pg from "pg";
import { getTableName } from "../src/db/schema.ts";
import { tables, toColumnName } from "../src/db/tables.ts";
import { postgresUsers, postgresUsersIn, sqliteUsers } from "../src/drizzle.ts";
import { outputOf } from "./support/command.ts";
import { sharedPostgres } from "./support/postgres-shared.ts";
import { tempDir } from "./support/temp-dir.ts";

const postgres = await sharedPostgres();

const LATER = new Date("2100-01-01T00:00:00.000Z");

/** Adds an owner, who does not end and has no groups of his own, and a guest with groups who ends. */
async function addUsers(url: string): Promise<void> {
  const on = ["--database-url", url, "--password-stdin"];
  const given = { input: "a password of hers" };
  await outputOf(["user", "add", "owner", "--create", ...on], given);
  const ends = ["--until", LATER.toISOString(), "--groups", "family,guests"];
  await outputOf(["user", "add", "guest", ...ends, ...on], given);
}

async function openPool(t: TestContext, url: string): Promise<pg.Pool> {
  const pool = new pg.Pool({ connectionString: url });
  t.after(() => pool.end());
  return pool;
}

function openSqlite(t: TestContext, path: string) {
  const file = new DatabaseSync(path);
  t.after(() => file.close());
  return drizzleSqlite(async (sql, values) => {
    const statement = file.prepare(sql);
    statement.setReturnArrays(true);
    return { rows: statement.all(...values) };
  });
}

const GUEST = { username: "guest", groups: ["family", "guests"], endsAt: LATER };

test("an app reads the users of PostgreSQL with their groups and times", async (t) => {
  const url = await postgres.newDatabase();
  await addUsers(url);
  const db = drizzle(await openPool(t, url));
  const { username, groups, endsAt } = postgresUsers;
  const ending = db.select({ username, groups, endsAt }).from(postgresUsers);
  assert.deepEqual(await ending.where(gt(endsAt, new Date(+LATER - 1))), [GUEST]);
  assert.deepEqual(await db.select().from(postgresUsers).where(gt(endsAt, LATER)), []);
  const names = ["owner", "nobody"];
  const [owner] = await db.select().from(postgresUsers).where(inArray(username, names));
  assert.equal(owner?.endsAt, null);
  assert.equal(typeof owner?.id, "string");
});

test("an app reads the users of SQLite with their groups and times", async (t) => {
  const path = join(await tempDir(t), "accounts.db");
  await addUsers(`sqlite:${path}`);
  const db = openSqlite(t, path);
  const { username, groups, endsAt } = sqliteUsers;
  const ending = db.select({ username, groups, endsAt }).from(sqliteUsers);
  assert.deepEqual(await ending.where(gt(endsAt, new Date(+LATER - 1))), [GUEST]);
  assert.deepEqual(await db.select().from(sqliteUsers).where(gt(endsAt, LATER)), []);
  const [owner] = await db.select().from(sqliteUsers).where(eq(username, "owner"));
  assert.equal(owner?.endsAt, null);
});

test("an app reads the users in a schema of PostgreSQL", async (t) => {
  const url = new URL(await postgres.newDatabase());
  await postgres.sql("CREATE SCHEMA house", url.pathname.slice(1));
  await addUsers(`${url}?options=-c%20search_path%3Dhouse`);
  const users = postgresUsersIn("house");
  const db = drizzle(await openPool(t, url.href));
  const [guest] = await db.select().from(users).where(eq(users.username, "guest"));
  assert.deepEqual(guest?.groups, ["family", "guests"]);
});

test("the tables have each column of the declaration, except the hash of the password", () => {
  const expected = Object.keys(tables.users.columns)
    .filter((field) => field !== "passwordHash")
    .map(toColumnName);
  for (const { name, columns } of [readPgTable(postgresUsers), readSqliteTable(sqliteUsers)]) {
    assert.equal(name, getTableName("users"));
    assert.deepEqual(
      columns.map((column) => column.name),
      expected,
    );
    assert.deepEqual(
      columns.filter(({ primary }) => primary).map((column) => column.name),
      ["id"],
    );
  }
});
