import assert from "node:assert/strict";
import { test } from "node:test";
import { inDatabase, refuse } from "../../support/database.ts";
import { hashText, newFile, openStore } from "../../support/store.ts";

test("SQLite: uses a WAL and STRICT tables", async (t) => {
  const file = await newFile(t);
  await openStore(t, file);
  inDatabase(file, (database) => {
    assert.deepEqual({ ...database.prepare("PRAGMA journal_mode").get() }, { journal_mode: "wal" });
    const tables = database
      .prepare("SELECT name, strict FROM pragma_table_list WHERE name NOT LIKE 'sqlite_%'")
      .all();
    const shown = tables.map(({ name, strict }) => `${name} ${strict}`).sort();
    assert.deepEqual(shown, [
      ...["latchkey_answers 1", "latchkey_app_icons 1", "latchkey_app_secrets 1"],
      "latchkey_app_uses 1",
      ...["latchkey_apps 1", "latchkey_codes 1", "latchkey_consents 1", "latchkey_devices 1"],
      ...["latchkey_grants 1", "latchkey_handoffs 1", "latchkey_keys 1", "latchkey_links 1"],
      ...["latchkey_log 1", "latchkey_outbox 1", "latchkey_passkeys 1"],
      ...["latchkey_profiles 1", "latchkey_sessions 1"],
      ...["latchkey_setup_tokens 1", "latchkey_sign_outs 1", "latchkey_signing_keys 1"],
      ...["latchkey_tokens 1", "latchkey_used_names 1", "latchkey_users 1"],
    ]);
  });
});

test("SQLite: does not report another rename failure as a taken username", async (t) => {
  const file = await newFile(t);
  const store = await openStore(t, file);
  const user = await store.users.insert({ username: "owner", passwordHash: hashText("a hash") });
  assert.ok(user);
  refuse(file, "UPDATE ON latchkey_users", "the disk is worn out");
  await assert.rejects(store.users.rename(user.id, "other"), /the disk is worn out/);
});
