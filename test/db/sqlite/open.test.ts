import assert from "node:assert/strict";
import { rm, stat } from "node:fs/promises";
import { test } from "node:test";
import { openToRead, type ReadOnlyDatabase } from "../../../src/db/sqlite/open.ts";
import { abandoned, filled, stateOf } from "../../cli/transfer/backup-place.ts";
import { execute, inDatabase } from "../../support/database.ts";

const namesIn = ({ database, requireUnchanged }: ReadOnlyDatabase): unknown => {
  const rows = database.prepare("SELECT username FROM latchkey_users ORDER BY username").all();
  requireUnchanged();
  return rows.map(({ username }) => username);
};

for (const [what, removed, names] of [
  ["a closed database", ["-wal", "-shm"], ["owner"]],
  ["the database of a killed gate, with its -wal and -shm", [], ["later", "owner"]],
  ["a database with a -wal alone", ["-shm"], ["later", "owner"]],
  ["a database with a -shm alone", ["-wal"], ["owner"]],
] as const) {
  test(`reads ${what}, and changes no file`, async (t) => {
    const { database, folder } = await abandoned(t, "owner", "later");
    assert.ok((await stat(`${database}-wal`)).size > 0);
    for (const suffix of removed) await rm(`${database}${suffix}`);
    const before = await stateOf(folder);
    {
      using opened = openToRead(database, {});
      assert.deepEqual(namesIn(opened), names);
    }
    assert.deepEqual(await stateOf(folder), before);
  });
}

test("reads a database that another process writes to, with each of its commits", async (t) => {
  const { database } = await filled(t, ["owner"], 0);
  inDatabase(database, (writer) => {
    writer.exec("UPDATE latchkey_users SET username = 'first'");
    using opened = openToRead(database, {});
    assert.deepEqual(namesIn(opened), ["first"]);
    writer.exec("UPDATE latchkey_users SET username = 'second'");
    assert.deepEqual(namesIn(opened), ["second"]);
  });
});

for (const [what, removed] of [
  ["closed", ["-wal", "-shm"]],
  ["with a -wal alone", ["-shm"]],
] as const) {
  test(`refuses what it has read from a database ${what} that another process has opened meanwhile`, async (t) => {
    const { database } = await abandoned(t, "owner", "later");
    for (const suffix of removed) await rm(`${database}${suffix}`);
    using opened = openToRead(database, {});
    namesIn(opened);
    execute(database, "UPDATE latchkey_users SET username = 'changed' WHERE username = 'owner'");
    assert.throws(() => namesIn(opened), { code: "database_changed" });
  });
}
