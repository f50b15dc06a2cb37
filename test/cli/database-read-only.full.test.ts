import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { keptSchemas } from "../db/kept-schemas.ts";
import { execute } from "../support/database.ts";
import { INHERITED, MAIN } from "../support/process.ts";
import { allow, isRoot, runUnprivileged } from "./other-user.ts";
import { abandoned, contentOf, type Filled, filled, stateOf } from "./transfer/backup-place.ts";

type Run = typeof runUnprivileged;

const state =
  (...removed: readonly string[]) =>
  async (t: TestContext): Promise<Filled> => {
    const place = await abandoned(t, "owner", "later");
    for (const suffix of removed) await rm(`${place.database}${suffix}`);
    // Its own folder, which has the data folder in it.
    await allow(dirname(place.folder), 7);
    return place;
  };

const states: readonly (readonly [string, ReturnType<typeof state>, readonly string[]])[] = [
  ["a closed database", state("-wal", "-shm"), ["owner"]],
  ["the database of a killed gate", state(), ["later", "owner"]],
  ["a database with a -wal alone", state("-shm"), ["later", "owner"]],
];

async function assertReadable(run: Run, place: Filled, names: readonly string[]): Promise<void> {
  const before = await stateOf(place.folder);
  for (const [args, pattern] of [
    [["log"], /entry 0/],
    // Sorted by the IDs, which are random.
    [["user", "list"], new RegExp(names.map((name) => `(?=[^]*^${name}  )`).join(""), "m")],
    [["session", "list"], /^$/],
    [["export", "--with-hashes"], new RegExp(`"username":"${names.at(-1)}","password_hash":"`)],
    [["backup", place.backup], /^Backed up \d users? and 1 log entry to /],
  ] as const) {
    const { code, stdout, stderr } = await run(args, place.env);
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    assert.match(stdout, pattern);
  }
  assert.deepEqual(await stateOf(place.folder), before);
  assert.deepEqual((await contentOf(place.backup)).usernames, names);
}

/** Lets another user read all of it, and write the backup. */
async function asReader(place: Filled, work: () => Promise<void>): Promise<void> {
  for (const name of await readdir(place.folder)) await allow(join(place.folder, name), 4);
  await allow(dirname(place.backup), 7);
  await allow(place.folder, 5);
  try {
    await work();
  } finally {
    await allow(place.folder, 7);
  }
}

for (const [what, make, names] of states) {
  test(`a user without write permission lists, exports and backs up ${what}`, async (t) => {
    const place = await make(t);
    await asReader(place, () => assertReadable(runUnprivileged, place, names));
  });
}

test("says what to do with an older schema where it cannot be migrated", async (t) => {
  const place = await state("", "-wal", "-shm")(t);
  const oldest = keptSchemas("sqlite")[0]?.sql ?? "";
  execute(place.database, `PRAGMA journal_mode = WAL; ${oldest}`);
  await asReader(place, async () => {
    const later = new URL("../db/later-tables.ts", import.meta.url);
    const env = { ...place.env, NODE_OPTIONS: `--import=${later}` };
    const { code, stderr } = await runUnprivileged(["user", "list"], env);
    assert.equal(code, 1);
    const older =
      /: it has schema 1, and cannot be migrated to 4 where it is read-only: make a backup, and restore it in another folder\n$/;
    assert.match(stderr, older);
    assert.equal((await runUnprivileged(["backup", place.backup], env)).code, 0);
  });
});

test("names a -wal that this user cannot read", async (t) => {
  const place = await state("-shm")(t);
  await asReader(place, async () => {
    await allow(`${place.database}-wal`, 0);
    const { code, stderr } = await runUnprivileged(["log"], place.env);
    const text = `cannot read ${place.database}-wal: permission denied (run as the user that owns it)`;
    assert.deepEqual([code, stderr], [1, `latchkey: ${text}\n`]);
  });
});

/** Runs the command with its data folder mounted read-only, for this command alone. */
const runMounted: Run = async (args, env) => {
  const script = 'mount --bind "$DATA_DIR" "$DATA_DIR" && mount -o remount,bind,ro "$DATA_DIR"';
  const { status, stdout, stderr } = spawnSync(
    "unshare",
    ["-m", "sh", "-c", `${script} && exec "$@"`, "sh", process.execPath, MAIN, ...args],
    { env: { ...INHERITED, NO_COLOR: "1", ...env }, encoding: "utf8" },
  );
  return { code: status, stdout, stderr };
};

/** Only root may mount, and not in every container. */
const canMount =
  isRoot && spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

if (canMount) {
  test("lists, exports and backs up a running gate through a read-only mount", async (t) => {
    const place = await filled(t, ["owner"], 1);
    const database = new DatabaseSync(place.database);
    t.after(() => database.close());
    database.exec("UPDATE latchkey_users SET username = 'renamed'");
    await assertReadable(runMounted, place, ["renamed"]);
  });
}
