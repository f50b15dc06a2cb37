/**
 * Opens a database of every kept schema. Each copy in `schemas` is a dump of what that schema's own
 * code has written, with rows in every table; its account is `OWNER`. Its name is the version and
 * the start of its SHA-256, because a copy is never edited. docs/releasing.md says how to make one.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { NEWEST_SCHEMA } from "../../src/db/schema.ts";
import { startGate } from "../support/gate.ts";
import { logEntry } from "../support/store.ts";
import { postgres, sqlite } from "./database.ts";
import { keptSchemas } from "./kept-schemas.ts";

const stores = [
  { name: "SQLite", kind: "sqlite", create: sqlite },
  { name: "PostgreSQL", kind: "postgres", create: postgres },
] as const;

for (const { name, kind, create } of stores) {
  const copies = keptSchemas(kind);

  test(`${name}: keeps a copy of every schema, as it was`, () => {
    const expected = copies.map(({ sql }, at) => {
      const digest = createHash("sha256").update(sql).digest("hex").slice(0, 8);
      return `${at + 1}-${digest}.sql`;
    });
    const files = copies.map(({ file }) => file);
    assert.deepEqual(files, expected, "a kept copy is never edited: restore it from git");
    const missing = `schema ${copies.length + 1} has no copy in test/db/schemas/${kind}`;
    assert.equal(copies.length, NEWEST_SCHEMA, missing);
  });

  test(`${name}: goes on while a newer version adds to its tables`, async (t) => {
    const database = await create(t);
    await database.load(copies.at(-1)?.sql ?? "");
    const store = await database.open();
    const [users, version] =
      kind === "sqlite"
        ? ["latchkey_users", "PRAGMA user_version = 99"]
        : ["latchkey_users", "UPDATE latchkey_schema SET version = 99"];
    const read = () => store.users.findByName("owner");
    const owner = await read();
    assert.ok(owner);
    await database.load(`ALTER TABLE ${users} ADD COLUMN later text; ${version}`);
    assert.deepEqual(await read(), owner);
    assert.deepEqual(await store.users.find(owner.id), owner);
    assert.ok(await store.users.insert({ username: "new", passwordHash: owner.passwordHash }));
    assert.equal((await store.users.read("", 9)).length, 3);
    await store.log.insert([logEntry("later")]);
    await store.close();
    await assert.rejects(database.open(), { code: "schema_newer" });
  });

  for (const [at, { sql }] of copies.entries()) {
    test(`${name}: upgrades schema ${at + 1} without changing what it holds, and signs in with it`, async (t) => {
      const [fresh, database] = [await create(t), await create(t)];
      await (await fresh.open()).close();
      await database.load(sql);
      const before = await database.rows();
      for (const [table, rows] of Object.entries(before)) assert.ok(rows.length > 0, table);

      const instances = await Promise.all([database.open(), database.open()]);
      for (const store of instances) await store.close();
      const after = await database.rows();
      for (const [table, rows] of Object.entries(before)) {
        assert.equal(after[table]?.length, rows.length, table);
      }
      assert.partialDeepStrictEqual(after, before);
      assert.deepEqual(await database.schema(), await fresh.schema());

      const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl } = database.env;
      const gate = await startGate(t, {
        ...(dataDir === undefined ? {} : { dataDir }),
        databaseUrl,
      });
      const old = (await gate.logEntries(0)).map(({ summary }) => summary);
      const { location, session } = await gate.signIn();
      assert.equal(location, "/");
      assert.equal((await gate.send("/account/profile", { session })).status, 200);
      const entries = await gate.logEntries(old.length + 1);
      const summaries = entries.map(({ summary }) => summary);
      assert.deepEqual(summaries, [...old, "Signed in as owner"]);
    });
  }
}
