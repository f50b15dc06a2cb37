import assert from "node:assert/strict";
import { chown, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { openSqlite } from "../../../src/db/sqlite/store.ts";
import { execute } from "../../support/database.ts";
import { newFile, openStore } from "../../support/store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const OTHER_USER = 65_534;

for (const suffix of ["-wal", "-shm"]) {
  test(`keeps the mode of a file that a link named ${suffix} points to`, async (t) => {
    const file = await newFile(t);
    (await openSqlite({ file })).close();
    execute(file, "PRAGMA journal_mode = DELETE");
    const other = join(await tempDir(t), "other");
    await writeFile(other, "as it was", { mode: 0o644 });
    await symlink(other, `${file}${suffix}`);
    await openSqlite({ file }).then(
      (store) => store.close(),
      () => undefined,
    );
    assert.equal((await stat(other)).mode & 0o777, 0o644);
    assert.equal(await readFile(other, "utf8"), "as it was");
  });
}

test("keeps modes that give others no access", async (t) => {
  const file = await newFile(t);
  (await openSqlite({ file })).close();
  const { ctimeNs } = await stat(file, { bigint: true });
  (await openSqlite({ file })).close();
  assert.equal((await stat(file, { bigint: true })).ctimeNs, ctimeNs);
});

test("creates no database through a dangling link", async (t) => {
  const file = await newFile(t);
  const nowhere = join(await tempDir(t), "nowhere");
  await symlink(nowhere, file);
  const dangling = /latchkey\.db is a symbolic link to a file that does not exist/;
  await assert.rejects(openSqlite({ file }), dangling);
  assert.deepEqual(await readdir(dirname(nowhere)), []);
});

test("opens a database through a link", async (t) => {
  const file = await newFile(t);
  (await openSqlite({ file })).close();
  const link = await newFile(t);
  await symlink(file, link);
  const store = await openStore(t, link);
  assert.equal(await store.users.any(), false);
});

test("opens a file whose name contains URL characters", async (t) => {
  const folder = await tempDir(t);
  const name = "a b%41?mode=ro#c.db";
  (await openSqlite({ file: join(folder, name) })).close();
  assert.deepEqual(await readdir(folder), [name]);
});

if (process.geteuid?.() === 0) {
  test("as root, creates the database for the owner of the folder", async (t) => {
    const folder = join(await tempDir(t), "data");
    await mkdir(folder, { mode: 0o700 });
    await chown(folder, OTHER_USER, OTHER_USER);
    await openStore(t, join(folder, "latchkey.db"));
    const names = await readdir(folder);
    assert.equal(names.length, 3);
    for (const name of names) assert.equal((await stat(join(folder, name))).uid, OTHER_USER, name);
  });
}
