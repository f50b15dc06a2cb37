import assert from "node:assert/strict";
import { test } from "node:test";
import { copyStore } from "../../src/db/copy-store.ts";
import { listColumns, tables } from "../../src/db/tables.ts";
import { hashText, logEntry } from "../support/store.ts";
import {
  byTable,
  type Either,
  rows,
  rowsIn,
  rowsOfEveryTable,
  ruleForBoth as rule,
  stores,
  user,
} from "./either.ts";

/** Imports users and entries into an empty store, as a copy does. */
const fill = (store: Either, ids: readonly string[], summaries: readonly string[] = []) =>
  store.transfer.importRows(
    rows(
      ids.map((id) => user(id)),
      summaries,
    ),
    async () => {},
  );

rule("returns the rows of every table as they were imported", async (store, other) => {
  const all = rowsOfEveryTable();
  assert.equal(await store.transfer.importRows(all, async () => {}), "imported");
  assert.deepEqual(await other.transfer.readAmounts(), { users: 2, entries: 2 });
  assert.deepEqual(await rowsIn(other), byTable(all));
  for (const { table, rows } of all) {
    if (!listColumns(tables[table]).some(([, { kind }]) => kind === "user")) continue;
    assert.deepEqual(await other.transfer.readUserRows(table, ["1", "2", "3"]), rows);
    assert.deepEqual(await other.transfer.readUserRows(table, ["3"]), []);
  }
});

rule("leaves out rows of a user whose key is known", async (store) => {
  const [, ...owned] = rowsOfEveryTable();
  await store.transfer.importRows(rowsOfEveryTable());
  const of = (id: string) =>
    owned.map((page) => ({
      ...page,
      rows: page.rows.map((row) => row.map((value) => (value === "1" ? id : value))),
    }));
  const others = of("3").filter(({ table }) => !["log", "codes", "apps"].includes(table));
  assert.equal(await store.transfer.importRows([...rows([user("3")]), ...others]), "imported");
  const [, ...before] = Object.entries(byTable(rowsOfEveryTable()));
  assert.partialDeepStrictEqual(await rowsIn(store), Object.fromEntries(before));
});

for (const [name, fresh] of Object.entries(stores)) {
  test(`${name}: copies the rows of every table into the other database`, async (t) => {
    const [, other] = Object.entries(stores).find(([kind]) => kind !== name) ?? [];
    assert.ok(other);
    const [source, target] = [await (await fresh(t))(), await (await other(t))()];
    const all = rowsOfEveryTable();
    await source.transfer.importRows(all, async () => {});
    assert.equal((await copyStore(source.transfer, target.transfer)).kind, "copied");
    assert.deepEqual(await rowsIn(target), byTable(all));
  });
}

rule("imports nothing with the ID of an app that exists", async (store) => {
  const all = rowsOfEveryTable();
  await store.transfer.importRows(all, async () => {});
  const [id, ...columns] = all.find(({ table }) => table === "apps")?.rows[0] ?? [];
  const before = await rowsIn(store);
  for (const [appId, outcome] of [[id, "taken"] as const, ["c", "imported"] as const]) {
    const app = { table: "apps", rows: [[appId ?? null, ...columns]] } as const;
    const secret = { table: "app_secrets", rows: [["new", "c", "hash", null, 1]] } as const;
    assert.equal(await store.transfer.importRows([secret, app]), outcome);
    if (outcome === "taken") assert.deepEqual(await rowsIn(store), before);
  }
});

rule("reads pages of rows sorted by the bytes of their keys", async (store) => {
  await fill(store, ["B", "a", "é", "Z9", "z", "1", "-", "🔑", "ﬀ"]);
  const read: unknown[] = [];
  for (let after: unknown = "", pages = 0; pages < 5; pages += 1) {
    const page = await store.transfer.readRows("users", String(after), 2);
    assert.ok(page.length <= 2);
    read.push(...page.map(([id]) => id));
    after = read.at(-1);
  }
  assert.deepEqual(read, ["-", "1", "B", "Z9", "a", "z", "é", "ﬀ", "🔑"]);
});

const owns: Readonly<Record<string, (store: Either) => Promise<unknown>>> = {
  "an account": (store) =>
    store.users.insertFirst({ username: "owner", passwordHash: hashText("x") }),
  "an entry": (store) => store.log.insert([logEntry("own")]),
};
for (const [what, put] of Object.entries(owns)) {
  rule(`a store with ${what} of its own is not filled`, async (store, other) => {
    await put(other);
    const before = await store.transfer.readAmounts();
    assert.equal(await fill(store, ["a"], ["copied"]), "taken");
    assert.deepEqual(await store.transfer.readAmounts(), before);
  });
}

rule("is filled by one of two copies", async (store, other) => {
  const outcomes = await Promise.all([fill(store, ["a"]), fill(other, ["b"])]);
  assert.deepEqual(outcomes.toSorted(), ["imported", "taken"]);
  assert.equal((await store.transfer.readAmounts()).users, 1);
});

rule("takes either the first account or a copy", async (store, other) => {
  const [first, filled] = await Promise.all([
    other.users.insertFirst({ username: "owner", passwordHash: hashText("x") }),
    fill(store, ["a", "b"]),
  ]);
  const { users } = await store.transfer.readAmounts();
  const expected = first === undefined ? [true, "imported", 2] : [false, "taken", 1];
  assert.deepEqual([first === undefined, filled, users], expected);
});
