import assert from "node:assert/strict";
import {
  chmod,
  chown,
  lchown,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { makeFolder } from "../../src/files/data-dir.ts";
import { followOwnLinks } from "../../src/files/ownership.ts";
import { replaceFile, replaceText } from "../../src/files/replace-file.ts";
import { foreignFolder, isRoot, OTHER_USER, runUnprivileged } from "../cli/other-user.ts";
import { runCommand } from "../support/command.ts";
import { tempDir } from "../support/temp-dir.ts";

/** A data folder of the gate's user, and a token path in a folder of root next to it. */
async function tokenElsewhere(t: TestContext, mode: number) {
  const dataDir = await foreignFolder(t);
  const folder = join(dirname(dataDir), "etc");
  await mkdir(folder, { mode });
  const token = join(folder, "token");
  return { token, env: { DATA_DIR: dataDir, SETUP_TOKEN_FILE: token } };
}

async function ownersOf(...paths: readonly string[]): Promise<readonly number[]> {
  return (await Promise.all(paths.map((path) => stat(path)))).map(({ uid }) => uid);
}

if (isRoot) {
  test("gives a token that root writes to the owner of the data folder, or else of its own folder", async (t) => {
    const [dataDir, own] = [await foreignFolder(t), await foreignFolder(t)];
    const elsewhere = await tokenElsewhere(t, 0o755);
    const inOwn = { DATA_DIR: await tempDir(t), SETUP_TOKEN_FILE: join(own, "token") };
    for (const [env, token] of [
      [{ DATA_DIR: dataDir }, join(dataDir, "setup-token")],
      [elsewhere.env, elsewhere.token],
      [inOwn, inOwn.SETUP_TOKEN_FILE],
    ] as const) {
      const { code, stderr } = await runCommand(["setup-link"], { env });
      assert.equal(code, 0, stderr);
      assert.deepEqual(await ownersOf(token), [OTHER_USER]);
      assert.equal((await stat(token)).mode & 0o777, 0o600);
    }
  });

  test("root writes no token that the owner of the data folder could not read", async (t) => {
    const { env, token } = await tokenElsewhere(t, 0o700);
    const { code, stdout, stderr } = await runCommand(["setup-link"], { env });
    assert.deepEqual([code, stdout], [1, ""]);
    const line = `latchkey: user ${OTHER_USER}, who owns DATA_DIR ${env.DATA_DIR}, cannot enter ${dirname(token)}: run this as root or as that user, with SETUP_TOKEN_FILE in a folder that the user can enter\n`;
    assert.equal(stderr, line);
    assert.deepEqual(await readdir(dirname(token)), []);
  });

  test("a user other than root and the owner of the data folder writes no token", async (t) => {
    const dataDir = join(await tempDir(t), "data");
    await mkdir(dataDir);
    await chown(dataDir, 54_321, 54_321);
    await chmod(dirname(dataDir), 0o711);
    await chmod(dataDir, 0o777);
    const { code, stdout, stderr } = await runUnprivileged(["setup-link"], { DATA_DIR: dataDir });
    assert.deepEqual([code, stdout], [1, ""]);
    const line = /^latchkey: user 54321, who owns DATA_DIR [^\n]*: run this as root [^\n]+\n$/;
    assert.match(stderr, line);
    assert.deepEqual(await readdir(dataDir), []);
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
    test(`as root, domain ${command} does not follow a link of the data folder's owner`, async (t) => {
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

  test("changes the owner of the open file, not of the target of a link in its place", async (t) => {
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
