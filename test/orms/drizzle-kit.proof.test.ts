/** Drizzle Kit beside Latchkey's tables, with the files of docs/users.md. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startNode } from "../support/process.ts";
import { blockWith, createPostgres, createProject, createSqlite, type Kept } from "./kept.ts";

interface App {
  readonly folder: string;
  readonly kept: Kept;
  readonly code: string;
  readonly config: string;
}

const CONFIG = "drizzle.config.ts";
const CODE = "notes-postgres-drizzle.ts";

async function createApp(t: TestContext, kind: keyof typeof kinds): Promise<App> {
  const folder = await createProject(t, "drizzle");
  const app = { folder, ...(await kinds[kind](folder)) };
  await writeFile(join(folder, CONFIG), app.config);
  await writeFile(join(folder, CODE), app.code);
  return app;
}

const kinds = {
  async sqlite(folder: string) {
    const code = blockWith("ts", "sqliteTable(");
    const config = blockWith("ts", "drizzle-kit")
      .replace('"postgresql"', '"sqlite"')
      .replace('process.env.DATABASE_URL ?? ""', '"file:accounts.db"');
    return { kept: await createSqlite(folder), code, config };
  },
  async postgres() {
    const kept = await createPostgres("public");
    return { kept, code: blockWith("ts", "pgTable("), config: blockWith("ts", "drizzle-kit") };
  },
  async schema() {
    const code = blockWith("ts", "pgTable(")
      .replace("{ postgresUsers }", "{ postgresUsersIn }")
      .replace("const db", 'const postgresUsers = postgresUsersIn("latchkey");\nconst db');
    const kept = await createPostgres("latchkey");
    return { kept, code, config: blockWith("ts", "drizzle-kit") };
  },
};

/** Runs Drizzle Kit without a terminal, so that each question that it asks is an error. */
async function runKit(t: TestContext, { folder, kept }: App, ...args: string[]): Promise<string> {
  const kit = join(folder, "node_modules/drizzle-kit/bin.cjs");
  const { stdout, stderr } = await startNode(t, [kit, ...args], { DATABASE_URL: kept.url }, folder)
    .ended;
  return stdout + stderr;
}

for (const kind of ["sqlite", "postgres", "schema"] as const) {
  const named = { sqlite: "SQLite", postgres: "PostgreSQL", schema: "a schema of its own" }[kind];

  test(`push creates the table of the app, and leaves Latchkey's alone: ${named}`, async (t) => {
    const app = await createApp(t, kind);
    const { kept } = app;
    const before = await kept.describe();
    assert.match(await runKit(t, app, "push", "--verbose"), /Changes applied/);
    assert.match(await runKit(t, app, "push", "--strict", "--verbose"), /No changes detected/);
    const column = app.code.replace("text: text().notNull(),", "$& more: text(),");
    await writeFile(join(app.folder, CODE), column);
    const changed = await runKit(t, app, "push", "--verbose");
    assert.match(changed, /ALTER TABLE .notes. ADD/);
    assert.match(changed, /Changes applied/);
    assert.doesNotMatch(changed, /latchkey_/);
    assert.deepEqual(await kept.describe(), before);
    await assertCascades(kept, kind);
  });

  test(`generate and migrate create only the table of the app: ${named}`, async (t) => {
    const app = await createApp(t, kind);
    const { kept } = app;
    const before = await kept.describe();
    assert.match(await runKit(t, app, "generate", "--name", "first"), /Your SQL migration file/);
    const sql = await readFile(join(app.folder, "drizzle/0000_first.sql"), "utf8");
    assert.deepEqual(sql.match(/(CREATE|ALTER|DROP) TABLE \S+/g)?.slice(0, 1), [
      kind === "sqlite" ? "CREATE TABLE `notes`" : 'CREATE TABLE "notes"',
    ]);
    assert.doesNotMatch(sql, /(CREATE|ALTER|DROP) \w+ \S*latchkey/);
    assert.match(await runKit(t, app, "migrate"), /migrations applied successfully/);
    assert.deepEqual(await kept.describe(), before);
    assert.match(await runKit(t, app, "generate"), /No schema changes/);
    await assertCascades(kept, kind);
  });
}

/** Adds a note, and removes it with its user. */
async function assertCascades(kept: Kept, kind: keyof typeof kinds): Promise<void> {
  const users = kind === "schema" ? "latchkey.latchkey_users" : "latchkey_users";
  await kept.query(`INSERT INTO notes (user_id, text) SELECT id, 'a note' FROM ${users}`);
  assert.equal((await kept.query("SELECT * FROM notes")).length, 1);
  await kept.query(`DELETE FROM ${users}`);
  assert.equal((await kept.query("SELECT * FROM notes")).length, 0);
}

for (const kind of ["sqlite", "postgres"] as const) {
  test(`without the filter, push asks whether to drop Latchkey's tables: ${kind}`, async (t) => {
    const app = await createApp(t, kind);
    const before = await app.kept.describe();
    // With a new table, it would first ask whether one of Latchkey's got that name.
    await runKit(t, app, "push");
    await writeFile(join(app.folder, CONFIG), app.config.replace(/ {2}tablesFilter.*\n/, ""));
    const asked = await runKit(t, app, "push");
    assert.match(asked, /about to delete latchkey_users table/);
    assert.match(asked, /Interactive prompts require a TTY/);
    assert.deepEqual(await app.kept.describe(), before);
  });
}
