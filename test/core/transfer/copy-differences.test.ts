import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type CopyOutcome, copy } from "../../../src/core/transfer/copy.ts";
import { differencesOf } from "../../../src/core/transfer/copy-digest.ts";
import { openSqlite, type SqliteStore } from "../../../src/stores/sqlite/store.ts";
import { execute } from "../../support/database.ts";
import { hashText, logEntry } from "../../support/store.ts";
import { tempDir } from "../../support/temp-dir.ts";

interface File {
  readonly file: string;
  readonly store: SqliteStore;
}

async function openFile(t: TestContext): Promise<File> {
  const file = join(await tempDir(t), "latchkey.db");
  const store = await openSqlite({ file });
  t.after(() => store.close());
  return { file, store };
}

async function files(t: TestContext): Promise<{ source: File; target: File }> {
  const [source, target] = [await openFile(t), await openFile(t)];
  await source.store.insertFirstUser({ username: "owner", passwordHash: hashText("hash") });
  execute(source.file, "INSERT INTO sessions SELECT 'x', id, 1, 2, 3, '::1', 'curl' FROM users");
  const entries = Array.from({ length: 2_500 }, (_, i) => logEntry(`entry ${i}`));
  await source.store.insertLogEntries(entries);
  return { source, target };
}

/** Copies, and changes the target before the comparison. */
function copyAndChange(
  { source, target }: { source: File; target: File },
  sql: string,
): Promise<CopyOutcome> {
  let changed = false;
  return copy(source.store, target.store, {
    signal: new AbortController().signal,
    progress({ step }) {
      if (changed || step !== "comparing") return;
      changed = true;
      execute(target.file, sql);
    },
  });
}

const changes: readonly (readonly [sql: string, of: "users" | "log entries", found: number])[] = [
  ["UPDATE users SET id = id || ' '", "users", 1],
  ["UPDATE users SET username = 'Owner'", "users", 1],
  ["UPDATE users SET password_hash = 'hasH'", "users", 1],
  ["UPDATE users SET sessions_from = 1700000000", "users", 1],
  ["UPDATE users SET ended_sessions = 'x'", "users", 1],
  ["UPDATE users SET codes = 'x'", "users", 1],
  ["UPDATE users SET passkeys = 'x'", "users", 1],
  ["DELETE FROM sessions", "users", 1],
  ["UPDATE sessions SET id = 'y'", "users", 1],
  ...["created_at", "used_at", "expires_at"].map(
    (time) => [`UPDATE sessions SET ${time} = ${time} + 1`, "users", 1] as const,
  ),
  ["UPDATE sessions SET address = '::2'", "users", 1],
  ["UPDATE sessions SET device = ''", "users", 1],
  ["INSERT INTO users (id, username, password_hash) VALUES ('2', 'second', 'hash')", "users", 2],
  ["DELETE FROM users", "users", 0],
  ["UPDATE log_entries SET id = 9999 WHERE id = 7", "log entries", 2_500],
  ["UPDATE log_entries SET at = at + 1 WHERE id = 7", "log entries", 2_500],
  ["UPDATE log_entries SET type = 'signup' WHERE id = 2500", "log entries", 2_500],
  ["UPDATE log_entries SET summary = summary || ' ' WHERE id = 1", "log entries", 2_500],
  ["UPDATE log_entries SET author = 'System' WHERE id = 1", "log entries", 2_500],
  ["UPDATE log_entries SET user_id = 'x' WHERE id = 1", "log entries", 2_500],
  ["DELETE FROM log_entries WHERE id = 1200", "log entries", 2_499],
];

for (const [sql, of, found] of changes) {
  test(`the comparison at the end finds this in the target: ${sql}`, async (t) => {
    const outcome = await copyAndChange(await files(t), sql);
    const copied = of === "users" ? 1 : 2_500;
    assert.deepEqual(outcome, { kind: "different", differences: [{ of, copied, found }] });
  });
}

test("detects two texts that are swapped between entries", async (t) => {
  const swap = `UPDATE log_entries SET summary =
    CASE id WHEN 1 THEN 'entry 1' ELSE 'entry 0' END WHERE id IN (1, 2)`;
  const outcome = await copyAndChange(await files(t), swap);
  assert.equal(outcome.kind, "different");
});

test("a different number is a difference whatever the sums", () => {
  const side = (count: number) => ({ users: { count, sum: 7n }, entries: { count, sum: 7n } });
  assert.deepEqual(differencesOf(side(2), side(1)), [
    { of: "users", copied: 2, found: 1 },
    { of: "log entries", copied: 2, found: 1 },
  ]);
});
