import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { copyStore } from "../../src/db/copy-store.ts";
import { tableNames } from "../../src/db/read-pages.ts";
import type { Row, TableName } from "../../src/db/tables.ts";
import type { TransferStore } from "../../src/db/transfer-store.ts";
import { openStore } from "../support/store.ts";
import { rows, rowsOfEveryTable, user } from "./either.ts";

/** Copies rows of every table into a target that returns those of one table changed. */
async function copyAndChange(
  t: TestContext,
  changed: TableName,
  change: (rows: readonly Row[]) => readonly Row[],
) {
  const [source, target] = [await openStore(t), await openStore(t)];
  await source.transfer.importRows(rowsOfEveryTable());
  const [, more] = rows([], ["swapped", "with this"]);
  await source.transfer.importRows([...rows([user("3")]), ...(more ? [more] : [])]);
  const changing: TransferStore = {
    ...target.transfer,
    importRows: (pages, verify) =>
      target.transfer.importRows(pages, async (written) =>
        verify?.({
          ...written,
          async readRows(table, ...given) {
            const found = await written.readRows(table, ...given);
            return table === changed ? change(found) : found;
          },
        }),
      ),
  };
  const of = changed === "log" ? "log entries" : changed;
  const message = `the ${of} in the target differ from the source`;
  await assert.rejects(copyStore(source.transfer, changing), { code: "copy_different", message });
  assert.deepEqual(await target.transfer.readAmounts(), { users: 0, entries: 0 });
}

for (const table of tableNames) {
  test(`copies nothing if another value is found in ${table}`, (t) =>
    copyAndChange(t, table, (rows) => rows.map((row) => row.with(-1, "9"))));

  test(`copies nothing if a row is missing in ${table}`, (t) =>
    copyAndChange(t, table, (rows) => rows.slice(1)));
}

test("detects two texts that are swapped between entries", (t) =>
  copyAndChange(t, "log", (rows) =>
    rows.map((row) => {
      const other = { swapped: "with this", "with this": "swapped" }[String(row[3])];
      return other === undefined ? row : row.with(3, other);
    }),
  ));
