import assert from "node:assert/strict";
import { test } from "node:test";
import { exportUsers, listExportFields } from "../../../src/cli/transfer/export-users.ts";
import { normalizeFieldName, parseRecord } from "../../../src/cli/transfer/import-record.ts";
import { byTable, NO_APPS, rows, rowsIn, rowsOfEveryTable, user } from "../../db/either.ts";
import { hashText, openStore } from "../../support/store.ts";

const HASH = hashText("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW");
const PUBLIC = ["id", "username", "sessions_from", "groups", "ends_at"];

test("exports users in pages, with hashes all that an import takes", async (t) => {
  const store = await openStore(t);
  const all = rowsOfEveryTable(HASH);
  const many = Array.from({ length: 1_500 }, (_, n) => user(`many ${n}`));
  const inGroups = { ...user("9"), groups: ["a", "b"], passwordHash: HASH };
  const ended = { table: "answers", rows: [["ended", "1", 5]] } as const;
  await store.transfer.importRows([...all, ...rows([inGroups, ...many]), ended]);
  const exported = async (hashes: "with" | "without") => {
    const found = [];
    for await (const page of exportUsers(store.transfer, hashes, 5)) found.push(...page);
    return found;
  };
  const plain = (await exported("without")).map((fields) => Object.fromEntries(fields));
  assert.equal(new Set(plain.map(({ id }) => id)).size, 1_503);
  const names = plain.flatMap((fields) => Object.keys(fields));
  assert.deepEqual([...new Set(names)].toSorted(), PUBLIC.toSorted());
  assert.deepEqual(listExportFields("without"), PUBLIC);
  const whole = await exported("with");
  const written = new Set(listExportFields("with"));
  assert.ok(whole.every((fields) => [...fields.keys()].every((name) => written.has(name))));
  assert.doesNotMatch(JSON.stringify(whole.map((one) => [...one])), /user_id/);
  const ofMany = whole.find((fields) => fields.get("id") === "many 1") ?? new Map();
  assert.deepEqual([...ofMany.keys()], ["id", "username", "password_hash"]);

  const target = await openStore(t);
  for (const fields of whole.filter((one) => one.get("password_hash") === HASH)) {
    const read = parseRecord(
      new Map([...fields].map(([name, one]) => [normalizeFieldName(name), one])),
    );
    assert.ok(typeof read === "object", String(read));
    await target.transfer.importRows(read.rows);
  }
  const { log: _, used_names: __, users, ...owned } = await rowsIn(target);
  const { log: ___, used_names: ____, users: known = [], ...expected } = byTable(all);
  // Apps have lines of their own.
  const others = [...Object.keys(NO_APPS), "links", "grants", "app_uses"].map((table) => [
    table,
    [],
  ]);
  assert.deepEqual(owned, { ...expected, ...Object.fromEntries(others) });
  assert.deepEqual(users, [...known, ["9", "name of 9", HASH, null, ",a,b,", null]]);
});
