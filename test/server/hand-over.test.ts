import assert from "node:assert/strict";
import { chown, lstat, mkdir, open, rename, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { handOver, makeFolder } from "../../src/server/hand-over.ts";
import { runLatchkey } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

const SOMEBODY = 65_534;

/** A data folder of the user that the gate runs as. */
async function foreignFolder(t: TestContext): Promise<string> {
  const folder = join(await tempDir(t), "data");
  await mkdir(folder, { mode: 0o700 });
  await chown(folder, SOMEBODY, SOMEBODY);
  return folder;
}

async function ownersOf(...paths: readonly string[]): Promise<readonly number[]> {
  return (await Promise.all(paths.map((path) => stat(path)))).map(({ uid }) => uid);
}

if (process.geteuid?.() === 0) {
  test("a token that root writes belongs to whose folder it is in, who can read it", async (t) => {
    const dataDir = await foreignFolder(t);
    assert.equal((await runLatchkey(t, ["setup-link"], { DATA_DIR: dataDir })).code, 0);
    const token = join(dataDir, "setup-token");
    assert.deepEqual(await ownersOf(token), [SOMEBODY]);
    assert.equal((await stat(token)).mode & 0o777, 0o600);
  });

  test("a domain that root adds leaves nothing that the gate could not write to", async (t) => {
    const dataDir = await foreignFolder(t);
    const name = "home.example.org";
    assert.equal((await runLatchkey(t, ["domain", "add", name], { DATA_DIR: dataDir })).code, 0);
    const root = join(dataDir, "certificates");
    const made = [root, join(root, name), join(root, name, "wanted")];
    assert.deepEqual(await ownersOf(...made), [SOMEBODY, SOMEBODY, SOMEBODY]);
  });
  test("what is given away is the file that was opened, not one that a link in its place leads to", async (t) => {
    const folder = await foreignFolder(t);
    const secret = join(await tempDir(t), "secret");
    await writeFile(secret, "of root's");
    const path = join(folder, "file");
    await using file = await open(path, "w");
    await rename(path, join(folder, "moved"));
    await symlink(secret, path);
    await handOver(file, path);
    assert.deepEqual(await ownersOf(join(folder, "moved"), secret), [SOMEBODY, 0]);
    assert.equal((await lstat(path)).isSymbolicLink(), true);
  });
} else {
  test("who is not root gives nothing away", async (t) => {
    const path = join(await tempDir(t), "file");
    await using file = await open(path, "w");
    await handOver(file, path);
    assert.deepEqual(await ownersOf(path), [process.geteuid?.()]);
  });
}

test("each folder that is made is for its owner alone, and what was there is left as it is", async (t) => {
  const there = join(await tempDir(t), "there");
  await mkdir(there, { mode: 0o755 });
  await makeFolder(join(there, "one", "two"));
  const modes = await Promise.all(
    [there, join(there, "one"), join(there, "one", "two")].map((path) => stat(path)),
  );
  assert.deepEqual(
    modes.map(({ mode }) => mode & 0o777),
    [0o755, 0o700, 0o700],
  );
});
