import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type CopyOutcome, type CopyProgress, copy } from "../../../src/core/transfer/copy.ts";
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

/** Copies, and does something at the first progress of which that is true. */
function copyWhile(
  { source, target }: { source: File; target: File },
  when: (progress: CopyProgress) => boolean,
  change: () => void,
): Promise<CopyOutcome> {
  let changed = false;
  return copy(source.store, target.store, {
    name: "source",
    signal: new AbortController().signal,
    progress(progress) {
      if (changed || !when(progress)) return;
      changed = true;
      change();
    },
  });
}

const comparing = ({ step }: CopyProgress): boolean => step === "comparing";
const halfway = ({ entries }: CopyProgress): boolean => entries.done === 1_000;

const changes: readonly (readonly [sql: string, of: "users" | "log entries", inTarget: number])[] =
  [
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
    ["DELETE FROM log_entries WHERE id = 1200", "log entries", 2_499],
  ];

for (const [sql, of, inTarget] of changes) {
  test(`the comparison at the end finds this in the target: ${sql}`, async (t) => {
    const both = await files(t);
    const outcome = await copyWhile(both, comparing, () => execute(both.target.file, sql));
    const inSource = of === "users" ? 1 : 2_500;
    assert.deepEqual(outcome, { kind: "different", differences: [{ of, inSource, inTarget }] });
  });
}

test("detects two texts that are swapped between entries", async (t) => {
  const both = await files(t);
  const swap = `UPDATE log_entries SET summary =
    CASE id WHEN 1 THEN 'entry 1' ELSE 'entry 0' END WHERE id IN (1, 2)`;
  const outcome = await copyWhile(both, comparing, () => execute(both.target.file, swap));
  assert.equal(outcome.kind, "different");
});

test("copies an entry that is written to the source during the copy", async (t) => {
  const both = await files(t);
  const { source, target } = both;
  const outcome = await copyWhile(both, halfway, () => {
    execute(source.file, "INSERT INTO log_entries VALUES (NULL, 1, 'signin', 'late', 'system')");
  });
  assert.deepEqual(outcome, { kind: "copied", users: 1, entries: 2_501 });
  const [last] = await target.store.readLogEntries({ afterId: 2_500, limit: 9 });
  assert.deepEqual([last?.id, last?.summary], [2_501, "late"]);
});

for (const [what, sql] of [
  ["a new password", "UPDATE users SET password_hash = 'new'"],
  ["a removed entry", "DELETE FROM log_entries WHERE id = 3"],
] as const) {
  test(`reports ${what} in the source during the copy, and fixes it in the next run`, async (t) => {
    const both = await files(t);
    const { source, target } = both;
    const first = await copyWhile(both, halfway, () => execute(source.file, sql));
    assert.equal(first.kind, "different");
    const second = await copyWhile(both, () => false, assert.fail);
    assert.equal(second.kind, "copied");
    const everyone = { afterId: "", limit: 9 };
    const all = { afterId: 0, limit: 9_999 };
    assert.deepEqual(
      await target.store.readUsers(everyone),
      await source.store.readUsers(everyone),
    );
    assert.deepEqual(
      await target.store.readLogEntries(all),
      await source.store.readLogEntries(all),
    );
    assert.deepEqual((await target.store.findSession("x"))?.device, "curl");
    const third = await copyWhile(both, () => false, assert.fail);
    assert.equal(third.kind, "target-occupied");
  });
}

test("empties the target once when it starts over", async (t) => {
  const { source, target } = await files(t);
  const spoil = () => execute(source.file, "UPDATE users SET username = 'Owner'");
  assert.equal((await copyWhile({ source, target }, comparing, spoil)).kind, "different");
  const how: string[] = [];
  const listening = {
    ...target.store,
    importBatch: (batch: Parameters<typeof target.store.importBatch>[0]) => {
      how.push(batch.how);
      return target.store.importBatch(batch);
    },
  };
  const options = { name: "source", progress: () => {}, signal: new AbortController().signal };
  assert.equal((await copy(source.store, listening, options)).kind, "copied");
  assert.deepEqual(how, ["start-over", "add", "add", "add", "add"]);
});

test("starts over only in an unused target", async (t) => {
  const both = await files(t);
  const { source, target } = both;
  const change = () => execute(source.file, "UPDATE users SET password_hash = 'new'");
  await copyWhile(both, halfway, change);
  await target.store.insertLogEntries([logEntry("a sign-in")]);
  const second = await copyWhile(both, () => false, assert.fail);
  assert.equal(second.kind, "target-changed");
  assert.equal((await target.store.readContents()).entries, 2_501);
});
