import assert from "node:assert/strict";
import {
  chown,
  copyFile,
  lchown,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { failureOf, outputOf } from "../../support/command.ts";
import { startServe } from "../../support/process.ts";
import { fileWith, tempDir } from "../../support/temp-dir.ts";
import { foreignFolder, isRoot, OTHER_USER, ownerOf } from "../other-user.ts";
import { backedUp, contentOf, filled, startHeld } from "./backup-place.ts";
import { csvOf } from "./import-file.ts";

/** Only root can make folders of several users. */
if (isRoot) {
  for (const name of ["restore", "import", "copy", "serve"]) {
    test(`a database that ${name} makes as root belongs to the owner of its folder`, async (t) => {
      const { env, database, backup } = await filled(t, ["owner"], 1);
      await outputOf(["backup", backup], { env });
      const DATA_DIR = await foreignFolder(t);
      const made = join(DATA_DIR, "latchkey.db");
      if (name === "serve") {
        await startServe(t, { DATA_DIR });
      } else {
        const args: Readonly<Record<string, readonly string[]>> = {
          restore: ["restore", backup],
          import: ["import", await fileWith(t, csvOf("owner"))],
          copy: ["copy", "--from", `sqlite:${database}`, "--to", `sqlite:${made}`],
        };
        await outputOf(args[name] ?? [], { env: { DATA_DIR } });
        assert.deepEqual((await contentOf(made)).usernames, ["owner"]);
      }
      assert.equal(await ownerOf(made), OTHER_USER);
      assert.equal((await stat(made)).mode & 0o777, 0o600);
    });
  }

  test("root's backups and exports belong to the owner of their folder", async (t) => {
    const place = await filled(t, ["owner"], 9);
    const [folder, TMPDIR] = [await foreignFolder(t), await tempDir(t)];
    const [backup, users] = [join(folder, "backup.db"), join(folder, "users.json")];
    for (const args of [
      ["backup", backup],
      ["export", "--to", users],
    ]) {
      await outputOf(args, { env: { ...place.env, TMPDIR } });
    }
    for (const file of [backup, users]) {
      assert.equal(await ownerOf(file), OTHER_USER);
      assert.equal((await stat(file)).mode & 0o777, 0o600);
    }
    assert.deepEqual(await contentOf(backup), await contentOf(place.database));
    assert.deepEqual((await readdir(folder)).toSorted(), ["backup.db", "users.json"]);
    assert.deepEqual(await readdir(TMPDIR), []);
  });

  test("restore as root replaces another user's database and keeps the old one", async (t) => {
    const { backup, other } = await backedUp(t);
    const DATA_DIR = await foreignFolder(t);
    const database = join(DATA_DIR, "latchkey.db");
    await copyFile(other.database, database);
    await chown(database, OTHER_USER, OTHER_USER);
    await outputOf(["restore", "--force", backup], { env: { DATA_DIR } });
    for (const name of await readdir(DATA_DIR)) {
      assert.equal(await ownerOf(join(DATA_DIR, name)), OTHER_USER, name);
    }
    assert.deepEqual((await contentOf(database)).usernames, ["owner"]);
  });

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    test(`${signal} stops a backup into another user's folder and leaves no file`, async (t) => {
      const place = await filled(t, ["owner"], 1);
      const [folder, TMPDIR] = [await foreignFolder(t), await tempDir(t)];
      const running = await startHeld(t, place, join(folder, "backup.db"), TMPDIR);
      running.child.kill(signal);
      assert.equal((await running.ended).signal, signal);
      assert.deepEqual([await readdir(folder), await readdir(TMPDIR)], [[], []]);
    });
  }

  test("restore as root does not follow a link to another user's file", async (t) => {
    const { backup } = await backedUp(t);
    const DATA_DIR = await foreignFolder(t);
    const precious = join(await tempDir(t), "precious");
    await writeFile(precious, "precious");
    const link = join(DATA_DIR, "latchkey.db");
    await symlink(precious, link);
    await lchown(link, OTHER_USER, OTHER_USER);
    const refusal = await failureOf(["restore", "--force", backup], { env: { DATA_DIR } });
    assert.equal(
      refusal,
      `${link} is another user's link to ${precious}: remove the link, or run this as that user`,
    );
    assert.equal(await readFile(precious, "utf8"), "precious");
    assert.deepEqual(await readdir(dirname(precious)), ["precious"]);
  });

  test("restore as root follows a link between folders of one owner", async (t) => {
    const { backup, other } = await backedUp(t);
    const [DATA_DIR, elsewhere] = [await foreignFolder(t), await foreignFolder(t)];
    const database = join(elsewhere, "moved.db");
    await rename(other.database, database);
    const link = join(DATA_DIR, "latchkey.db");
    await symlink(database, link);
    await lchown(link, OTHER_USER, OTHER_USER);
    await outputOf(["restore", "--force", backup], { env: { DATA_DIR } });
    assert.deepEqual((await contentOf(database)).usernames, ["owner"]);
    assert.equal(await ownerOf(database), OTHER_USER);
  });
}
