import assert from "node:assert/strict";
import { chmod, chown, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { accountsCheck } from "../../src/doctor/accounts.ts";
import { dataFolderCheck } from "../../src/doctor/data-folder.ts";
import { databaseCheck } from "../../src/doctor/database.ts";
import { startGate } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertFound, findings } from "./installation.ts";

const isRoot = process.geteuid?.() === 0;
const SOMEBODY = 54_321;

async function folderWith(t: TestContext, mode: number, fileMode: number) {
  const DATA_DIR = await tempDir(t);
  const file = join(DATA_DIR, "latchkey.db");
  await writeFile(file, "");
  await chmod(file, fileMode);
  await chmod(DATA_DIR, mode);
  return { DATA_DIR, file };
}

test("the folder of a running gate is fine", async (t) => {
  const { dataDir: DATA_DIR } = await startGate(t);
  assertFound(await findings(dataFolderCheck, { env: { DATA_DIR } }), [
    "ok",
    new RegExp(`^${DATA_DIR} is there`),
  ]);
});

test("before the first start the folder is not there, which is fine, and it is not made", async (t) => {
  const above = await tempDir(t);
  const env = { DATA_DIR: join(above, "data/of/latchkey") };
  assertFound(await findings(dataFolderCheck, { env }), ["ok", /the first start makes it/]);
  assert.deepEqual(await readdir(above), []);
});

test("a file in the place of the folder is wrong", async (t) => {
  const DATA_DIR = join(await tempDir(t), "data");
  await writeFile(DATA_DIR, "");
  assertFound(await findings(dataFolderCheck, { env: { DATA_DIR } }), ["problem", /is no folder/]);
});

test("a folder below a file cannot be made", async (t) => {
  const file = join(await tempDir(t), "file");
  await writeFile(file, "");
  const env = { DATA_DIR: join(file, "data") };
  assertFound(await findings(dataFolderCheck, { env }), ["problem", /cannot be made/]);
});

test("a folder that others can look into is a hint, with its mode and the command", async (t) => {
  const { DATA_DIR } = await folderWith(t, 0o750, 0o600);
  assertFound(await findings(dataFolderCheck, { env: { DATA_DIR } }), [
    "hint",
    /its mode is 750$/,
    new RegExp(`^chmod 700 ${DATA_DIR}$`),
  ]);
});

test("a database that everybody can get to and read is wrong", async (t) => {
  const { DATA_DIR, file } = await folderWith(t, 0o755, 0o644);
  assertFound(await findings(dataFolderCheck, { env: { DATA_DIR } }), [
    "problem",
    new RegExp(`can read ${file}$`),
    new RegExp(`chmod 600 ${file}`),
  ]);
});

test("in a closed folder, the mode of a file opens nothing", async (t) => {
  const { DATA_DIR } = await folderWith(t, 0o700, 0o644);
  assertFound(await findings(dataFolderCheck, { env: { DATA_DIR } }), ["ok", /is there/]);
});

test("a setup token elsewhere counts by its own name", async (t) => {
  const { DATA_DIR } = await folderWith(t, 0o755, 0o600);
  const SETUP_TOKEN_FILE = join(await tempDir(t), "token");
  await writeFile(SETUP_TOKEN_FILE, "token");
  await chmod(SETUP_TOKEN_FILE, 0o644);
  const found = await findings(dataFolderCheck, { env: { DATA_DIR, SETUP_TOKEN_FILE } });
  assertFound(found, ["problem", new RegExp(`can read ${SETUP_TOKEN_FILE}$`)]);
});

if (isRoot) {
  test("a setup token elsewhere may be another user's", async (t) => {
    const { DATA_DIR } = await folderWith(t, 0o700, 0o600);
    const SETUP_TOKEN_FILE = join(await tempDir(t), "token");
    await writeFile(SETUP_TOKEN_FILE, "token", { mode: 0o600 });
    await chown(SETUP_TOKEN_FILE, SOMEBODY, SOMEBODY);
    const env = { DATA_DIR, SETUP_TOKEN_FILE };
    assertFound(await findings(dataFolderCheck, { env }), ["ok", /is there/]);
  });

  test("a file that another user has made is wrong: the gate could not write to it", async (t) => {
    const { DATA_DIR, file } = await folderWith(t, 0o700, 0o600);
    await chown(file, SOMEBODY, SOMEBODY);
    assertFound(await findings(dataFolderCheck, { env: { DATA_DIR } }), [
      "problem",
      new RegExp(`belongs to one user: ${file}`),
      /chown --reference/,
    ]);
  });

  test("a folder of another user's is a hint to run this as that user", async (t) => {
    const { DATA_DIR, file } = await folderWith(t, 0o700, 0o600);
    for (const path of [DATA_DIR, file]) await chown(path, SOMEBODY, SOMEBODY);
    assertFound(await findings(dataFolderCheck, { env: { DATA_DIR } }), [
      "hint",
      /belongs to user 54321, and this runs as root/,
      /sudo -u '#54321' latchkey doctor/,
    ]);
  });
} else {
  test("a folder that may not be written to is wrong", async (t) => {
    const { DATA_DIR } = await folderWith(t, 0o500, 0o600);
    const found = await findings(dataFolderCheck, { env: { DATA_DIR } });
    await chmod(DATA_DIR, 0o700);
    assertFound(found, ["problem", /may not read and write in/, /^chmod 700 /]);
  });

  test("a database that may not be read is not taken for one that is missing", async (t) => {
    const { DATA_DIR } = await folderWith(t, 0o700, 0o600);
    await chmod(DATA_DIR, 0o000);
    const env = { DATA_DIR, HOST: "0.0.0.0" };
    const database = await findings(databaseCheck, { env });
    const accounts = await findings(accountsCheck, { env });
    await chmod(DATA_DIR, 0o700);
    assertFound(database, ["problem", /cannot read .*: permission denied/, /as the gate's user/]);
    assertFound(accounts);
  });

  test("a folder that may not be made is wrong", async (t) => {
    const above = join(await tempDir(t), "above");
    await mkdir(above, { mode: 0o500 });
    const env = { DATA_DIR: join(above, "data") };
    assertFound(await findings(dataFolderCheck, { env }), ["problem", /cannot be made/]);
  });
}
