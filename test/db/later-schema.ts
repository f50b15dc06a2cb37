/** Run by a test as a process: what a later schema adds, with the description of it in place. */
import "./later-tables.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { copyStore } from "../../src/db/copy-store.ts";
import { readVersion } from "../../src/db/sqlite/schema.ts";
import { type Row, type TableName, tables } from "../../src/db/tables.ts";
import type { TransferStore } from "../../src/db/transfer-store.ts";
import { checkDatabase } from "../../src/doctor/database.ts";
import { HASH } from "../cli/transfer/import-file.ts";
import { assertFound, findings } from "../doctor/installation.ts";
import { failureOf, outputOf } from "../support/command.ts";
import { inDatabase } from "../support/database.ts";
import { logEntry } from "../support/store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { postgres, sqlite } from "./database.ts";
import { type Either, rowsIn } from "./either.ts";
import { keptSchemas } from "./kept-schemas.ts";

const NOTES = "notes" as TableName;
const USER: Row = ["9", "new", HASH, null, null, null, "mi"];
const SESSIONS_FROM = Object.keys(tables.users.columns).indexOf("sessionsFrom");
const NOTE: Row = ["n", "9", ",a,b,", 17];
const PASSKEY = {
  ...{ id: "k", name: "Phone", key: "a2V5", counter: 0, addedAt: new Date(1), colour: "blue" },
};

/** Where a thing has this field, its value there. */
const each = (things: readonly object[], field: string): readonly unknown[] =>
  things.map((one) => Object.entries(one).find(([name]) => name === field)?.[1]);

const kinds = [
  { name: "SQLite", kind: "sqlite", create: sqlite, other: postgres },
  { name: "PostgreSQL", kind: "postgres", create: postgres, other: sqlite },
] as const;

test("SQLite: an earlier schema is backed up as it is, and not copied", async (t) => {
  const { env, load, schema } = await sqlite(t);
  await load(keptSchemas("sqlite")[0]?.sql ?? "");
  const before = await schema();
  const backup = join(await tempDir(t), "backup.db");
  await outputOf(["backup", backup], { env });
  assert.deepEqual(inDatabase(backup, readVersion), 1);
  const from = `sqlite:${join(env.DATA_DIR ?? "", "latchkey.db")}`;
  const refusal = await failureOf(["copy", "--from", from, "--to", `sqlite:${backup}.copy`]);
  assert.match(refusal, /it has schema 1, which this version of Latchkey cannot copy/);
  assert.deepEqual(await schema(), before);
});

for (const { name, kind, create, other } of kinds) {
  test(`${name}: a later column and table need only their description`, async (t) => {
    const [fresh, database, target] = [await create(t), await create(t), await other(t)];
    await (await fresh.open()).close();
    await database.load(keptSchemas(kind)[0]?.sql ?? "");
    const hint = (await findings(checkDatabase, { env: database.env })).find((finding) =>
      finding.found.includes("has schema"),
    );
    assertFound(hint, [
      "hint",
      /has schema 1: the next start of the gate migrates it to 4$/,
      /backup/,
    ]);
    const store: Either = await database.open();
    t.after(() => store.close());
    assert.deepEqual(await database.schema(), await fresh.schema());

    const owner = await store.users.findByName("owner");
    assert.ok(owner);
    assert.ok(await store.passkeys.insert({ ...PASSKEY, userId: owner.id }, 2));
    assert.equal(await store.passkeys.insert({ ...PASSKEY, id: "l", userId: owner.id }, 2), false);
    assert.deepEqual(each(await store.passkeys.listOf(owner.id), "colour"), ["blue", undefined]);
    await store.log.insert([Object.assign(logEntry("later"), { country: "NZ" })]);
    const entries = await store.log.read({ afterId: 0, limit: 99 });
    assert.deepEqual(each(entries.slice(-2), "country"), [undefined, "NZ"]);
    const added = [{ table: "users", rows: [USER] } as const, { table: NOTES, rows: [NOTE] }];
    assert.equal(await store.transfer.importRows(added), "imported");
    assert.deepEqual(each(await store.users.read("", 9), "language").toSorted(), [
      ...["mi", undefined, undefined],
    ]);
    const all = await rowsIn(store);
    assert.deepEqual(all.notes, [NOTE]);

    const copied: Either = await target.open();
    t.after(() => copied.close());
    const run = (to: TransferStore) => copyStore(store.transfer, to);
    assert.equal((await run(copied.transfer)).kind, "copied");
    assert.deepEqual(await rowsIn(copied), all);

    for (const format of ["json", "csv"]) {
      const args = ["export", "--with-hashes", "--format", format];
      const input = await outputOf(args, { env: database.env });
      const imported = await other(t);
      await outputOf(["import", "-", "--keys"], { env: imported.env, input });
      const again: Either = await imported.open();
      const found = await rowsIn(again);
      await again.close();
      for (const table of ["users", "passkeys", "notes"]) {
        // An import ends the sessions.
        const without = (rows: readonly Row[] = []) =>
          table === "users" ? rows.map((row) => row.with(SESSIONS_FROM, null)) : rows;
        const text = `${table} as ${format}`;
        assert.deepEqual(without(found[table]), without(all[table]), text);
      }
    }
    assert.equal(await store.users.remove("9" as typeof owner.id), "removed");
    assert.deepEqual((await rowsIn(store)).notes, []);
  });

  for (const [table, change] of [
    ["passkeys", "red"],
    ["notes", ",a,"],
  ] as const) {
    test(`${name}: a copy notices another value in ${table}`, async (t) => {
      const [source, target] = [await other(t), await create(t)];
      const [from, to]: Either[] = [await source.open(), await target.open()];
      assert.ok(from && to);
      t.after(() => Promise.all([from.close(), to.close()]));
      await from.transfer.importRows([
        { table: "users", rows: [USER] },
        { table: "passkeys", rows: [["k", "9", "Phone", "a2V5", 0, 1, null, "blue"]] },
        { table: NOTES, rows: [NOTE] },
      ]);
      const changing: TransferStore = {
        ...to.transfer,
        importRows: (pages, verify) =>
          to.transfer.importRows(pages, async (written) =>
            verify?.({
              ...written,
              async readRows(name, ...given) {
                const found = await written.readRows(name, ...given);
                return name === table ? found.map((row) => row.with(-1, change)) : found;
              },
            }),
          ),
      };
      await assert.rejects(copyStore(from.transfer, changing), { code: "copy_different" });
    });
  }
}
