import assert from "node:assert/strict";
import fs, { chmod, chown, mkdir, readdir, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkAccounts } from "../../src/doctor/accounts.ts";
import { checkDataFolder, checkDisk } from "../../src/doctor/data-folder.ts";
import { checkDatabase } from "../../src/doctor/database.ts";
import { allow, give, isRoot, OTHER_USER, runUnprivileged } from "../cli/other-user.ts";
import { fileWith, tempDir } from "../support/temp-dir.ts";
import { applyRemedies, assertCheck, assertFound, findings } from "./installation.ts";

async function folderWith(t: TestContext, mode: number, fileMode: number) {
  const DATA_DIR = await tempDir(t);
  const file = join(DATA_DIR, "latchkey.db");
  await writeFile(file, "");
  await chmod(file, fileMode);
  await chmod(DATA_DIR, mode);
  return { DATA_DIR, file };
}

test("reports ok for a missing folder, and does not create it", async (t) => {
  const above = await tempDir(t);
  const env = { DATA_DIR: join(above, "data/of/latchkey") };
  await assertCheck(checkDataFolder, { env }, ["ok", /the gate creates it at its first start/]);
  assert.deepEqual(await readdir(above), []);
});

test("reports a file in place of the folder, and above it", async (t) => {
  const file = await fileWith(t, "");
  const inPlace = { DATA_DIR: file };
  await assertCheck(checkDataFolder, { env: inPlace }, [
    "problem",
    /^cannot use .*file is not a folder$/,
    /^correct DATA_DIR$/,
  ]);
  const above = { DATA_DIR: join(file, "data") };
  await assertCheck(checkDataFolder, { env: above }, ["problem", /file is not a folder$/]);
});

for (const [mode, fileMode, outcome, about, remedy] of [
  [0o750, 0o600, "hint", "its mode is 750", "^chmod 700 DIR$"],
  [0o770, 0o600, "problem", "can write to DIR, .* mode is 770", "^chmod 700 DIR$"],
  [0o700, 0o644, "ok", "DIR exists and is private", ""],
] as const) {
  const modes = `${mode.toString(8)} with a database of mode ${fileMode.toString(8)}`;
  test(`reports ${outcome} for a folder of mode ${modes}`, async (t) => {
    const { DATA_DIR } = await folderWith(t, mode, fileMode);
    const inDir = (text: string): RegExp => new RegExp(text.replace("DIR", DATA_DIR));
    const found = await findings(checkDataFolder, { env: { DATA_DIR } });
    assertFound(found, [outcome, inDir(`${about}$`), inDir(remedy)]);
    if (outcome === "ok") return;
    await applyRemedies(found);
    const again = await findings(checkDataFolder, { env: { DATA_DIR } });
    assert.notDeepEqual(again, found);
  });
}

test("reports a database and a setup token that every user can read", async (t) => {
  const { DATA_DIR, file } = await folderWith(t, 0o711, 0o644);
  const SETUP_TOKEN_FILE = await fileWith(t, "token");
  await chmod(SETUP_TOKEN_FILE, 0o644);
  const env = { DATA_DIR, SETUP_TOKEN_FILE };
  const files = `${file} ${SETUP_TOKEN_FILE}`;
  const readable = ["problem", new RegExp(`can read ${files}$`), /^chmod 600 /] as const;
  await assertCheck(checkDataFolder, { env }, readable, ["hint", /its mode is 711$/]);
  await applyRemedies(await findings(checkDataFolder, { env }));
  await assertCheck(checkDataFolder, { env }, ["ok", /is private$/]);
});

test("reports an app's folder that every user can write to", async (t) => {
  const { DATA_DIR: folder, file } = await folderWith(t, 0o777, 0o600);
  const env = { DATA_DIR: await tempDir(t), DATABASE_URL: `sqlite:${file}` };
  const own = ["ok", new RegExp(`^${env.DATA_DIR} exists and is private$`)] as const;
  const found = await findings(checkDataFolder, { env });
  assertFound(found, own, ["problem", /can write to /, /^chmod o-w /]);
  await applyRemedies(found.slice(1));
  const accepted = ["ok", new RegExp(`^${folder} exists and is writable$`)] as const;
  await assertCheck(checkDataFolder, { env }, own, accepted);
  await chmod(folder, 0o1777);
  const moved = ["problem", /1777$/, /^set DATABASE_URL to a folder of its own/] as const;
  await assertCheck(checkDataFolder, { env }, own, moved);
});

test("reports a database in another folder that the gate's user cannot write to", async (t) => {
  const above = await tempDir(t);
  const folder = join(above, "app");
  await mkdir(folder);
  const file = join(folder, "app.db");
  await writeFile(file, "");
  if (isRoot) await allow(above, 1);
  await give(folder);
  await allow(file, 4);
  const env = { DATA_DIR: join(folder, "data"), DATABASE_URL: `sqlite:${file}` };
  const { code, stdout } = await runUnprivileged(["doctor"], env);
  assert.equal(code, 1);
  assert.match(stdout, /PROBLEM +data folder +cannot write to .*app\.db: permission denied/);
});

if (isRoot) {
  test("accepts a setup token of another user in another folder", async (t) => {
    const DATA_DIR = await tempDir(t);
    const SETUP_TOKEN_FILE = join(await tempDir(t), "token");
    await writeFile(SETUP_TOKEN_FILE, "token", { mode: 0o600 });
    await chown(SETUP_TOKEN_FILE, OTHER_USER, OTHER_USER);
    const env = { DATA_DIR, SETUP_TOKEN_FILE };
    await assertCheck(checkDataFolder, { env }, ["ok", /exists and is private/]);
  });

  test("reports a file of another user, which the gate could not write to", async (t) => {
    const { DATA_DIR, file } = await folderWith(t, 0o700, 0o600);
    await chown(file, OTHER_USER, OTHER_USER);
    await assertCheck(checkDataFolder, { env: { DATA_DIR } }, [
      "problem",
      new RegExp(`contains files of another user: ${file}`),
      /chown --reference/,
    ]);
  });

  test("gives a hint to run the command as the owner of the folder", async (t) => {
    const { DATA_DIR, file } = await folderWith(t, 0o700, 0o600);
    for (const path of [DATA_DIR, file]) await chown(path, OTHER_USER, OTHER_USER);
    await assertCheck(checkDataFolder, { env: { DATA_DIR } }, [
      "hint",
      /belongs to user 65534, but this command runs as user 0$/,
      /sudo -u '#65534' latchkey doctor/,
    ]);
  });
} else {
  test("reports a folder without write permission", async (t) => {
    const { DATA_DIR } = await folderWith(t, 0o500, 0o600);
    const found = await findings(checkDataFolder, { env: { DATA_DIR } });
    await chmod(DATA_DIR, 0o700);
    assertFound(found, [
      "problem",
      /cannot read and write in .*: permission denied/,
      /gate's user/,
    ]);
  });

  test("does not mistake an unreadable database for a missing one", async (t) => {
    const { DATA_DIR } = await folderWith(t, 0o700, 0o600);
    await chmod(DATA_DIR, 0o000);
    const env = { DATA_DIR, HOST: "0.0.0.0" };
    const database = await findings(checkDatabase, { env });
    const accounts = await findings(checkAccounts, { env });
    await chmod(DATA_DIR, 0o700);
    assertFound(database, ["problem", /cannot read .*: permission denied/, /as the gate's user/]);
    assertFound(accounts);
  });
}

const EXT4 = 0xef53;
const NFS = 0x6969;

/** What the check finds on disks of this type, with this free space. */
function foundOn(t: TestContext, type: number, freeMib: number, DATABASE_URL = "") {
  t.mock.method(fs, "statfs", async () => ({ type, bsize: 4_096, bavail: freeMib * 256 + 255 }));
  syncBuiltinESMExports();
  return findings(checkDisk, { env: { DATA_DIR: "/data", DATABASE_URL } });
}

test("reports the free space of both disks for a database elsewhere", async (t) => {
  const [DATA_DIR, folder] = [await tempDir(t), join(await tempDir(t), "not/there/yet")];
  const env = { DATA_DIR, DATABASE_URL: `sqlite:${folder}/accounts.db` };
  const found = await findings(checkDisk, { env });
  const places = found.map((one) => /^(?:only )?\d+ [MG]iB free at (\S+)$/.exec(one.found)?.[1]);
  assert.deepEqual(places, [DATA_DIR, folder]);
});

for (const [freeMib, kind, about] of [
  [9, "problem", /^only 9 MiB free/],
  [99, "hint", /^only 99 MiB free/],
  [100, "ok", /^100 MiB free/],
] as const) {
  test(`reports ${kind} with ${freeMib} MiB free`, async (t) => {
    assertFound(await foundOn(t, EXT4, freeMib), [kind, about, /LOG_RETENTION/]);
  });
}

test("gives a hint for an SQLite database on NFS, and none without a database there", async (t) => {
  const network = /network file system \(NFS\)/;
  assertFound(await foundOn(t, NFS, 1_000), ["hint", network, /DATABASE_URL/]);
  assertFound(await foundOn(t, NFS, 1_000, "postgres://db/latchkey"), ["ok", /free/]);
});
