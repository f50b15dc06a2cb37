/** The code of docs/users.md, on real databases, next to the tables of Latchkey. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { folderWith } from "../examples/folder-with.ts";
import { typeErrors } from "../package/installed.ts";
import { outputOf } from "../support/command.ts";
import { execute, inDatabase } from "../support/database.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { startNode } from "../support/process.ts";
import { text } from "./pages.ts";

const postgres = await sharedPostgres();
const page = text("docs/users.md");

const statements = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql = ""]) => sql);
const [inSqlite = "", inPostgres = ""] = statements;
const modules = [...page.matchAll(/`(notes-\S+\.ts)`:\n\n```ts\n([\s\S]*?)```/g)];

const PACKAGES = ["latchkey", "drizzle-orm", "kysely", "pg", "@types"];

const WALK = `
const [, , module, id] = process.argv;
const { addNote, notesOf } = await import(module);
await addNote(id, "first");
console.log(JSON.stringify(await notesOf(id)), JSON.stringify(await notesOf("another")));
process.exit();
`;

for (const [, name = "", code = ""] of modules) {
  test(`${name} stores the notes of a user, which end with the account`, async (t) => {
    const folder = await folderWith(t, PACKAGES);
    const server = name.includes("postgres") ? postgres : undefined;
    const url = (await server?.newDatabase()) ?? `sqlite:${join(folder, "accounts.db")}`;
    const ask = async (sql: string): Promise<readonly unknown[]> =>
      server === undefined
        ? inDatabase(join(folder, "accounts.db"), (database) => database.prepare(sql).all())
        : server.sql(sql, new URL(url).pathname.slice(1));
    const onDatabase = ["--database-url", url];
    const given = { input: "a password of hers" };
    const added = [...onDatabase, "--password-stdin"];
    await outputOf(["user", "add", "owner", "--create", ...added], given);
    await outputOf(["user", "add", "ada", ...added], given);
    if (server === undefined) execute(join(folder, "accounts.db"), inSqlite);
    else await ask(inPostgres);
    const [ada] = await ask(`SELECT id FROM latchkey_users WHERE username = 'ada'`);
    const { id } = Object(ada);
    await writeFile(join(folder, name), code);
    await writeFile(join(folder, "walk.js"), WALK);
    const args = ["--conditions=latchkey-source", "walk.js", `./${name}`, String(id)];
    const { stdout, stderr } = await startNode(t, args, { DATABASE_URL: url }, folder).ended;
    const note = name.includes("drizzle") ? { text: "first", by: "ada" } : { text: "first" };
    assert.deepEqual([stdout, stderr], [`${JSON.stringify([note])} []\n`, ""]);
    assert.equal((await ask("SELECT * FROM notes")).length, 1);
    await outputOf(["user", "remove", "ada", "--yes", ...onDatabase]);
    assert.deepEqual(await ask("SELECT * FROM notes"), []);
  });
}

test("the code of the page type-checks, for both databases and both libraries", async (t) => {
  assert.equal(modules.length, 4);
  const folder = await folderWith(t, PACKAGES);
  for (const [, name = "", code = ""] of modules) await writeFile(join(folder, name), code);
  assert.equal(await typeErrors(folder), "");
});
