import assert from "node:assert/strict";
import { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { writeOutput } from "../../../src/lib/files/output-file.ts";
import { isRoot, OTHER_USER, swap } from "../../cli/other-user.ts";
import { tempDir } from "../../support/temp-dir.ts";

/** A path in a new folder, and a file elsewhere that must not change. */
async function namesIn(t: TestContext) {
  const folder = join(await tempDir(t), "folder");
  await mkdir(folder, { mode: 0o700 });
  if (isRoot) await chown(folder, OTHER_USER, OTHER_USER);
  const precious = join(await tempDir(t), "precious");
  await writeFile(precious, "precious", { mode: 0o600 });
  return { file: join(folder, "file"), precious };
}

/** Has the name filled, and returns the name. */
const fillByName = (file: string, text: string): Promise<string> =>
  writeOutput(file, (output) =>
    output.useName(async (name) => {
      await writeFile(name, text);
      return name;
    }),
  );

if (isRoot) {
  test("uses a private folder only where others cannot rename entries", async (t) => {
    for (const mode of [0o700, 0o777, 0o770]) {
      const { file } = await namesIn(t);
      const below = join(dirname(file), "below");
      await mkdir(below, { mode: 0o700 });
      await chown(dirname(file), mode === 0o700 ? OTHER_USER : 0, OTHER_USER);
      await chmod(dirname(file), mode);
      const lent = await fillByName(join(below, "file"), "new");
      assert.notEqual(dirname(lent), below);
      assert.equal(await readFile(join(below, "file"), "utf8"), "new");
    }
  });

  test("keeps root as the owner where a group member could have replaced the folder", async (t) => {
    const { file } = await namesIn(t);
    const write = () => writeOutput(file, ({ handle }) => handle.writeFile("new"));
    await write();
    assert.equal((await stat(file)).uid, OTHER_USER);
    await chmod(dirname(dirname(file)), 0o770);
    await write();
    assert.equal((await stat(file)).uid, 0);
    await chmod(dirname(dirname(file)), 0o1770);
    await write();
    assert.equal((await stat(file)).uid, OTHER_USER, "in a sticky folder, only the owner can");
  });
}

for (const [whose, mode] of [
  ["its own", 0o770],
  ["its own", 0o777],
  ["its own", 0o1777],
  ...(isRoot ? ([["another user's", 0o700]] as const) : []),
] as const) {
  test(`SQLite opens no file in ${whose} folder of mode ${mode.toString(8)}`, async (t) => {
    const { file, precious } = await namesIn(t);
    if (isRoot && whose === "its own") await chown(dirname(file), 0, OTHER_USER);
    await chmod(dirname(file), mode);
    const making = writeOutput(file, (output) =>
      output.useName(async (name) => {
        const [made = ""] = await readdir(dirname(file));
        assert.match(made, /^file\.[0-9a-f]{8}\.partial$/);
        await swap(join(dirname(file), made), precious);
        await writeFile(name, "new");
      }),
    );
    await assert.rejects(making, { code: "file_swapped" });
    assert.equal(await readFile(precious, "utf8"), "precious");
    assert.equal((await stat(precious)).uid, process.geteuid?.());
  });
}

test("refuses a temporary folder whose entries others can replace", async (t) => {
  const { file } = await namesIn(t);
  await chmod(dirname(file), 0o770);
  const { TMPDIR } = process.env;
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  const temporary = await tempDir(t);
  await chmod(temporary, 0o770);
  process.env.TMPDIR = temporary;
  const making = writeOutput(file, (output) =>
    output.useName(() => assert.fail("work must not run with an unsafe folder")),
  );
  await assert.rejects(making, { code: "temp_dir_unsafe" });
  assert.deepEqual([await readdir(dirname(file)), await readdir(temporary)], [[], []]);
});

test("keeps using the folder behind a link when the link changes meanwhile", async (t) => {
  const [{ file }, other] = [await namesIn(t), await tempDir(t)];
  const link = join(await tempDir(t), "link");
  await symlink(dirname(file), link);
  await writeOutput(join(link, "file"), async ({ handle }) => {
    await swap(link, other);
    await handle.writeFile("new");
  });
  assert.equal(await readFile(file, "utf8"), "new");
  assert.deepEqual(await readdir(other), []);
});

test("writes a complete file by name, for its owner only", async (t) => {
  const { file } = await namesIn(t);
  const lent = await fillByName(file, "new".repeat(100_000));
  assert.equal(await readFile(file, "utf8"), "new".repeat(100_000));
  const { mode, uid } = await stat(file);
  assert.deepEqual([mode & 0o777, uid], [0o600, isRoot ? OTHER_USER : process.geteuid?.()]);
  assert.deepEqual(await readdir(dirname(file)), ["file"]);
  await assert.rejects(stat(lent), { code: "ENOENT" });
});

test("removes the file and SQLite's extra files when the work fails", async (t) => {
  const { file } = await namesIn(t);
  let lent = "";
  const failing = writeOutput(file, (output) =>
    output.useName(async (name) => {
      lent = name;
      for (const suffix of ["", "-wal", "-shm", "-journal"])
        await writeFile(`${name}${suffix}`, "");
      throw new Error("on purpose");
    }),
  );
  await assert.rejects(failing, /on purpose/);
  assert.deepEqual(await readdir(dirname(file)), []);
  await assert.rejects(stat(lent), { code: "ENOENT" });
});

test("in a private folder, creates the temporary file next to the target", async (t) => {
  const file = join(await tempDir(t), "file");
  assert.equal(dirname(await fillByName(file, "new")), dirname(file));
});
