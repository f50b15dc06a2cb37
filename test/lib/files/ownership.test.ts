import assert from "node:assert/strict";
import { lchown, mkdir, readFile, rename, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolder } from "../../../src/lib/files/data-dir.ts";
import { followOwnLinks } from "../../../src/lib/files/ownership.ts";
import { replaceFile, replaceText } from "../../../src/lib/files/replace-file.ts";
import { foreignFolder, isRoot, OTHER_USER } from "../../cli/other-user.ts";
import { runCommand } from "../../support/command.ts";
import { tempDir } from "../../support/temp-dir.ts";

async function ownersOf(...paths: readonly string[]): Promise<readonly number[]> {
  return (await Promise.all(paths.map((path) => stat(path)))).map(({ uid }) => uid);
}

if (isRoot) {
  test("gives root's new database to the owner of the data folder", async (t) => {
    const dataDir = await foreignFolder(t);
    const { code, stderr } = await runCommand(["setup-link"], { env: { DATA_DIR: dataDir } });
    assert.equal(code, 0, stderr);
    assert.deepEqual(await ownersOf(join(dataDir, "latchkey.db")), [OTHER_USER]);
  });

  test("the gate can write to all files of a domain that root adds", async (t) => {
    const dataDir = await foreignFolder(t);
    const name = "home.example.org";
    const added = await runCommand(["domain", "add", name], { env: { DATA_DIR: dataDir } });
    assert.equal(added.code, 0);
    const root = join(dataDir, "certificates");
    const made = [root, join(root, name), join(root, name, "wanted")];
    assert.deepEqual(await ownersOf(...made), [OTHER_USER, OTHER_USER, OTHER_USER]);
  });

  for (const command of ["add", "remove"]) {
    test(`as root, domain ${command} follows no link of the owner`, async (t) => {
      const [dataDir, elsewhere] = [await foreignFolder(t), await tempDir(t)];
      const name = "home.example.org";
      await mkdir(join(elsewhere, name));
      await writeFile(join(elsewhere, name, "wanted"), "precious");
      const link = join(dataDir, "certificates");
      await symlink(elsewhere, link);
      await lchown(link, OTHER_USER, OTHER_USER);
      const ending = await runCommand(["domain", command, name], { env: { DATA_DIR: dataDir } });
      assert.deepEqual([ending.code, ending.stdout], [1, ""]);
      assert.match(ending.stderr, /^latchkey: [^\n]+ is another user's link to [^\n]+\n$/);
      assert.equal(await readFile(join(elsewhere, name, "wanted"), "utf8"), "precious");
    });
  }

  test("changes the owner of the open file, not of a link in its place", async (t) => {
    const folder = await foreignFolder(t);
    const secret = join(await tempDir(t), "secret");
    await writeFile(secret, "of root's");
    const making = replaceFile(join(folder, "file"), {
      async fill({ path }) {
        await rename(path, join(folder, "moved"));
        await symlink(secret, path);
      },
    });
    await assert.rejects(making, { code: "file_swapped" });
    assert.deepEqual(await ownersOf(join(folder, "moved"), secret), [OTHER_USER, 0]);
  });
} else {
  test("does not change the owner without root", async (t) => {
    const path = join(await tempDir(t), "file");
    await replaceText(path, "text");
    assert.deepEqual(await ownersOf(path), [process.geteuid?.()]);
  });
}

test("reports a loop of links with its path", async (t) => {
  const path = join(await tempDir(t), "link");
  await symlink("link", path);
  assert.throws(() => followOwnLinks(path), { code: "ELOOP", path });
});

test("makes folders with mode 0700, and leaves existing folders unchanged", async (t) => {
  const there = join(await tempDir(t), "there");
  await mkdir(there, { mode: 0o755 });
  await makeFolder(join(there, "one", "two"));
  const modes = await Promise.all(
    [there, join(there, "one"), join(there, "one", "two")].map((path) => stat(path)),
  );
  const bits = modes.map(({ mode }) => mode & 0o777);
  assert.deepEqual(bits, [0o755, 0o700, 0o700]);
});
