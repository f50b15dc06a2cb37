import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openSqlite } from "../../../src/stores/sqlite/store.ts";
import { type AccountStore, type Open, testAccounts } from "../../../src/testing/index.ts";
import { refuse } from "../../support/database.ts";
import { hashText } from "../../support/store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const fresh: Open<AccountStore> = async (t) => {
  const file = join(await tempDir(t), "latchkey.db");
  return {
    async connect() {
      const store = await openSqlite({ file });
      t.after(() => store.close());
      return store;
    },
  };
};

testAccounts("SQLite", fresh);

const OWNER = { username: "owner", passwordHash: hashText("a hash") };

test("does not report another rename failure as a taken username", async (t) => {
  const file = join(await tempDir(t), "latchkey.db");
  const store = await openSqlite({ file });
  t.after(() => store.close());
  const user = await store.insertUser(OWNER);
  assert.ok(user);
  refuse(file, "UPDATE ON users", "the disk is worn out");
  await assert.rejects(store.renameUser(user.id, "other"), /the disk is worn out/);
});
