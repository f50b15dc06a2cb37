/**
 * Prisma beside Latchkey's tables, with the files of docs/users.md. Prisma 6.19 is the newest whose
 * schema engine is in npm packages, for SQLite; later versions download it from a host of Prisma.
 */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startNode } from "../support/process.ts";
import { blockWith, createPostgres, createProject, createSqlite, type Kept } from "./kept.ts";

/** With `engine: "js"`, Prisma uses neither of these, but it downloads both unless they are set. */
const NO_DOWNLOAD = {
  PRISMA_QUERY_ENGINE_LIBRARY: process.execPath,
  PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
};

const SCHEMA = "schema.prisma";
const MODELS = blockWith("prisma", "model LatchkeyUser");

const adapters = {
  sqlite: {
    code: `import { PrismaLibSQL } from "@prisma/adapter-libsql";
export const adapter = new PrismaLibSQL({ url: process.env.DATABASE_URL });`,
    create: createSqlite,
  },
  postgresql: {
    code: `import { PrismaPg } from "@prisma/adapter-pg";
export const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL });`,
    create: () => createPostgres("public"),
  },
};

interface App {
  readonly folder: string;
  readonly kept: Kept;
  readonly head: string;
  readonly config: string;
}

async function createApp(t: TestContext, provider: keyof typeof adapters): Promise<App> {
  const folder = await createProject(t, "prisma");
  const head = `datasource db {
  provider = "${provider}"
  url      = env("DATABASE_URL")
}
generator client {
  provider            = "prisma-client"
  output              = "./generated"
  engineType          = "client"
  importFileExtension = "ts"
}
`;
  const shown = blockWith("ts", "prisma/config")
    .replace(/ {2}datasource: .*\n/, '  engine: "js",\n  adapter: async () => adapter,\n')
    .replace("externalTables: true", "$&, adapter: true");
  const tables = provider === "sqlite" ? shown.replace('("public")', "()") : shown;
  const config = `import { adapter } from "./adapter.mjs";\n${tables}`;
  await writeFile(join(folder, "adapter.mjs"), adapters[provider].code);
  await writeFile(join(folder, "prisma.config.ts"), config);
  await writeFile(join(folder, SCHEMA), head + MODELS);
  return { folder, head, config, kept: await adapters[provider].create(folder) };
}

async function runPrisma(t: TestContext, app: App, ...args: string[]): Promise<string> {
  const cli = join(app.folder, "node_modules/prisma/build/index.js");
  const env = { ...NO_DOWNLOAD, CHECKPOINT_DISABLE: "1", DATABASE_URL: app.kept.url };
  const { stdout, stderr } = await startNode(t, [cli, ...args], env, app.folder).ended;
  return stdout + stderr;
}

const WALK = `
import { adapter } from "./adapter.mjs";
import { PrismaClient } from "./generated/client.ts";
const prisma = new PrismaClient({ adapter });
const { id } = await prisma.latchkeyUser.findFirstOrThrow();
await prisma.note.create({ data: { userId: id, text: "first" } });
console.log(JSON.stringify(await prisma.note.findMany({ select: { text: true, user: { select: { username: true } } } })));
process.exit();
`;

/** Adds a note with Prisma, reads it with its user, and removes it with that user. */
async function assertUsable(t: TestContext, { folder, kept }: App): Promise<void> {
  await writeFile(join(folder, "walk.ts"), WALK);
  const { stdout } = await startNode(t, ["walk.ts"], { DATABASE_URL: kept.url }, folder).ended;
  assert.deepEqual(JSON.parse(stdout), [{ text: "first", user: { username: "ada" } }]);
  await kept.query("DELETE FROM latchkey_users");
  assert.equal((await kept.query("SELECT * FROM notes")).length, 0);
}

test("push creates the table of the app, and leaves Latchkey's alone: SQLite", async (t) => {
  const app = await createApp(t, "sqlite");
  const before = await app.kept.describe();
  assert.match(await runPrisma(t, app, "db", "push"), /now in sync/);
  assert.match(await runPrisma(t, app, "db", "push"), /already in sync/);
  await writeFile(
    join(app.folder, SCHEMA),
    app.head + MODELS.replace("text   String", "$&\n  more String?"),
  );
  assert.match(await runPrisma(t, app, "db", "push"), /now in sync/);
  assert.deepEqual(await app.kept.describe(), before);
  await assertUsable(t, app);
});

test("without the list, push proposes to drop Latchkey's tables: SQLite", async (t) => {
  const app = await createApp(t, "sqlite");
  const before = await app.kept.describe();
  const config = app.config.replace(/ {2}tables: .*\n/, "");
  await writeFile(join(app.folder, "prisma.config.ts"), config);
  assert.match(await runPrisma(t, app, "db", "push"), /about to drop the `latchkey_log` table/);
  assert.deepEqual(await app.kept.describe(), before);
});

for (const provider of ["sqlite", "postgresql"] as const) {
  test(`the SQL of a migration creates only the table of the app: ${provider}`, async (t) => {
    const app = await createApp(t, provider);
    const before = await app.kept.describe();
    const args = ["--from-empty", "--to-schema-datamodel", SCHEMA, "--script"];
    await runPrisma(t, app, "migrate", "diff", ...args, "--output", "first.sql");
    const sql = await readFile(join(app.folder, "first.sql"), "utf8");
    assert.deepEqual(sql.match(/CREATE TABLE \S+/g), ['CREATE TABLE "notes"']);
    for (const statement of sql.split(";\n")) await app.kept.query(statement);
    assert.deepEqual(await app.kept.describe(), before);
    assert.match(await runPrisma(t, app, "generate"), /Generated Prisma Client/);
    await assertUsable(t, app);
  });
}
