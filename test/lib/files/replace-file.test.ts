import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { replaceFile, replaceText } from "../../../src/lib/files/replace-file.ts";
import { swap } from "../../cli/other-user.ts";
import { tempDir } from "../../support/temp-dir.ts";

test("replaces a file with mode 0600, and leaves no other files", async (t) => {
  const dir = await tempDir(t);
  const path = join(dir, "file");
  await writeFile(path, "an old and much longer content", { mode: 0o644 });
  await replaceText(path, "new");
  assert.equal(await readFile(path, "utf8"), "new");
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(dir), ["file"]);
});

test("does not write through a link that replaces the temporary file", async (t) => {
  const dir = await tempDir(t);
  const elsewhere = join(await tempDir(t), "elsewhere");
  await writeFile(elsewhere, "as it was");
  const making = replaceFile(join(dir, "file"), {
    async fill({ handle, path }) {
      await swap(path, elsewhere);
      await handle.writeFile("new");
    },
  });
  await assert.rejects(making, { code: "file_swapped" });
  assert.deepEqual(await readdir(dir), [], "the link does not become the file");
  assert.equal(await readFile(elsewhere, "utf8"), "as it was");
});

test("does not use an existing temporary name", async (t) => {
  const dir = await tempDir(t);
  const [elsewhere, temporary] = [join(await tempDir(t), "elsewhere"), join(dir, "taken")];
  await symlink(elsewhere, temporary);
  const fill = (): Promise<void> => Promise.resolve();
  await assert.rejects(replaceFile(join(dir, "file"), { temporary, fill }), { code: "EEXIST" });
  assert.deepEqual(await readdir(dirname(elsewhere)), []);
});

test("keeps the old entry and leaves no temporary file when the rename fails", async (t) => {
  const dir = await tempDir(t);
  await mkdir(join(dir, "file"));
  await assert.rejects(replaceText(join(dir, "file"), "new"), { code: "EISDIR" });
  assert.deepEqual(await readdir(dir), ["file"]);
});

test("does not create a missing folder", async (t) => {
  const dir = await tempDir(t);
  await assert.rejects(replaceText(join(dir, "gone", "file"), "new"), { code: "ENOENT" });
  assert.deepEqual(await readdir(dir), []);
});
