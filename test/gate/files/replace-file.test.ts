import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, symlink, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { replaceFile, replaceText } from "../../../src/gate/files/replace-file.ts";
import { tempDir } from "../../support/temp-dir.ts";

test("a file is for its owner alone and stands alone, whatever was there before", async (t) => {
  const dir = await tempDir(t);
  const path = join(dir, "file");
  await writeFile(path, "an old and much longer content", { mode: 0o644 });
  await replaceText(path, "new");
  assert.equal(await readFile(path, "utf8"), "new");
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(dir), ["file"]);
});

test("nothing is written through a link that is put where the new file is being made", async (t) => {
  const dir = await tempDir(t);
  const elsewhere = join(await tempDir(t), "elsewhere");
  await writeFile(elsewhere, "as it was");
  const making = replaceFile(join(dir, "file"), {
    async fill({ handle, path }) {
      await unlink(path);
      await symlink(elsewhere, path);
      await handle.writeFile("new");
    },
  });
  await assert.rejects(making, { code: "file_swapped" });
  assert.deepEqual(await readdir(dir), [], "and the link is not passed off as the file");
  assert.equal(await readFile(elsewhere, "utf8"), "as it was");
});

test("a name that somebody has taken already is not used", async (t) => {
  const dir = await tempDir(t);
  const [elsewhere, temporary] = [join(await tempDir(t), "elsewhere"), join(dir, "taken")];
  await symlink(elsewhere, temporary);
  const fill = (): Promise<void> => Promise.resolve();
  await assert.rejects(replaceFile(join(dir, "file"), { temporary, fill }), { code: "EEXIST" });
  assert.deepEqual(await readdir(dirname(elsewhere)), []);
});

test("what cannot be put in place leaves the old one and nothing beside it", async (t) => {
  const dir = await tempDir(t);
  await mkdir(join(dir, "file"));
  await assert.rejects(replaceText(join(dir, "file"), "new"), { code: "EISDIR" });
  assert.deepEqual(await readdir(dir), ["file"]);
});

test("a folder that is gone is not made again", async (t) => {
  const dir = await tempDir(t);
  await assert.rejects(replaceText(join(dir, "gone", "file"), "new"), { code: "ENOENT" });
  assert.deepEqual(await readdir(dir), []);
});
