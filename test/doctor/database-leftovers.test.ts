import assert from "node:assert/strict";
import { link, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkLeftovers } from "../../src/doctor/database.ts";
import { tempDir } from "../support/temp-dir.ts";
import { applyRemedies, assertCheck, assertFound, findings } from "./installation.ts";

const KEPT = "latchkey.db.replaced-2030-01-31T18-00-00-000Z";

/** A data folder with these files beside its database. Those without a text are its second name. */
async function folderWith(t: TestContext, files: Readonly<Record<string, string | undefined>>) {
  const DATA_DIR = await tempDir(t);
  await writeFile(join(DATA_DIR, "latchkey.db"), "database");
  for (const [name, text] of Object.entries(files)) {
    if (text === undefined) await link(join(DATA_DIR, "latchkey.db"), join(DATA_DIR, name));
    else await writeFile(join(DATA_DIR, name), text);
  }
  return { DATA_DIR };
}

test("reports nothing beside a database in use, with other files", async (t) => {
  const own = { "latchkey.db-wal": "", "latchkey.db-shm": "" };
  const others = { "latchkey.db.old": "", "other.db.12345678.partial": "" };
  const env = await folderWith(t, { ...own, ...others });
  await assertCheck(checkLeftovers, { env });
  await assertCheck(checkLeftovers, { env: { DATA_DIR: "/nowhere/at/all" } });
});

for (const [what, files, outcome, about] of [
  ["the database that a restore replaced", { [KEPT]: "old" }, "hint", /has kept the database/],
  [
    "the unfinished copies of a killed restore",
    {
      "latchkey.db.0a1b2c3d.partial": "",
      "latchkey.db.0a1b2c3d.partial-wal": "",
      [`${KEPT}.partial`]: "",
    },
    "hint",
    /was killed has left/,
  ],
  ["a second name of the database", { [KEPT]: undefined }, "hint", /was killed has left/],
] as const) {
  test(`reports ${what}, and nothing once the named files are deleted`, async (t) => {
    const env = await folderWith(t, files);
    const found = await findings(checkLeftovers, { env });
    assertFound(found, [outcome, about, /: rm \//]);
    await applyRemedies(found);
    await assertCheck(checkLeftovers, { env });
    assert.deepEqual(await readdir(env.DATA_DIR), ["latchkey.db"]);
  });
}

test("reports a write-ahead log that a killed restore has moved away", async (t) => {
  const env = await folderWith(t, { [KEPT]: undefined, [`${KEPT}-wal`]: "log" });
  const found = await findings(checkLeftovers, { env });
  assertFound(
    found,
    ["problem", /newest changes are missing$/, /run mv -n \/\S+-wal \/\S+latchkey\.db-wal;/],
    ["hint", /has left \/\S+Z$/, /rm \/\S+Z$/],
  );
  await applyRemedies(found);
  await assertCheck(checkLeftovers, { env });
});
