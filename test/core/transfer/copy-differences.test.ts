import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { columnName, columnsOf, tables } from "../../../src/core/tables.ts";
import { copy } from "../../../src/core/transfer/copy.ts";
import type { TransferStore } from "../../../src/core/transfer/transfer-store.ts";
import { rows, rowsOfEveryTable, user } from "../../stores/either.ts";
import { execute } from "../../support/database.ts";
import { newFile, openStore } from "../../support/store.ts";

/** Copies rows of every table, and changes the target before the comparison. */
async function copyAndChange(t: TestContext, change: string) {
  const file = await newFile(t);
  const [source, target] = [await openStore(t), await openStore(t, file)];
  await source.transfer.importRows(rowsOfEveryTable());
  const [, more] = rows([], ["swapped", "with this"]);
  await source.transfer.importRows([...rows([user("3")]), ...(more ? [more] : [])]);
  const changing: TransferStore = {
    ...target.transfer,
    async importRows(...given) {
      const outcome = await target.transfer.importRows(...given);
      execute(file, `PRAGMA foreign_keys = OFF; ${change}`);
      return outcome;
    },
  };
  return copy(source.transfer, changing);
}

for (const [name, table] of Object.entries(tables)) {
  const inSqlite = name === "log" ? "log_entries" : name;
  const of = name === "log" ? "log entries" : name;
  const key = columnName(table.key);
  const one = `WHERE ${key} = (SELECT min(${key}) FROM ${inSqlite})`;
  const [last = ""] = columnsOf(table).at(-1) ?? [];
  const more = `${columnName(last)} = coalesce(${columnName(last)}, '') || '9'`;

  for (const change of [
    `UPDATE ${inSqlite} SET ${more} ${one}`,
    `DELETE FROM ${inSqlite} ${one}`,
  ]) {
    test(`the comparison at the end finds this in the target: ${change}`, async (t) => {
      const outcome = await copyAndChange(t, change);
      assert.ok(outcome.kind === "different");
      const [{ copied, found, ...where } = {}, ...others] = outcome.differences;
      assert.deepEqual([where, others], [{ of }, []]);
      assert.equal(found, change.startsWith("DELETE") ? (copied ?? 0) - 1 : copied);
    });
  }
}

test("detects two texts that are swapped between entries", async (t) => {
  const swap = `UPDATE log_entries SET summary =
    CASE id WHEN 3 THEN 'with this' ELSE 'swapped' END WHERE id IN (3, 4)`;
  assert.equal((await copyAndChange(t, swap)).kind, "different");
});
