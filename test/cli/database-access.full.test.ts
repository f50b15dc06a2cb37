import assert from "node:assert/strict";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { runCommand } from "../support/command.ts";
import { SECRET } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";
import { allow, give, isRoot, runUnprivileged } from "./other-user.ts";
import { type Filled, filled } from "./transfer/backup-place.ts";
import { csvOf, fileWith } from "./transfer/import-file.ts";

const REASON = "permission denied (run as the user that owns it)";

interface Opened extends Filled {
  /** A folder that this user may write to. */
  readonly own: string;
  /** A backup that this user may read. */
  readonly source: string;
}

async function opened(t: TestContext): Promise<Opened> {
  const place = await filled(t, ["owner"], 1);
  const own = await tempDir(t);
  const source = join(await tempDir(t), "source.db");
  assert.equal((await runCommand(["backup", source], { env: place.env })).code, 0);
  await Promise.all([allow(own, 7), allow(join(source, ".."), 7), allow(source, 4)]);
  return { ...place, own, source };
}

type Arguments = (place: Opened) => readonly string[];

const commands: Readonly<Record<string, Arguments>> = {
  log: () => ["log"],
  serve: () => ["serve"],
  backup: ({ own }) => ["backup", join(own, "backup.db")],
  restore: ({ source }) => ["restore", "--force", source],
  "copy from it": ({ own, database }) => [
    ...["copy", "--from", `sqlite:${database}`, "--to", `sqlite:${own}/copy.db`],
  ],
};

interface Barrier {
  readonly folder: number;
  readonly file: number;
  readonly done: "read" | "write";
}

const barriers: Readonly<Record<string, Barrier>> = {
  "a folder that it may not enter": { folder: 0, file: 6, done: "read" },
  "a database that it may not read": { folder: 7, file: 0, done: "read" },
  "a database that it may only read": { folder: 5, file: 4, done: "write" },
};

/** Commands that a database without write permission is enough for. */
const READING: readonly string[] = ["log", "backup"];

async function assertBarred(t: TestContext, args: Arguments, barrier: Barrier): Promise<void> {
  const place = await opened(t);
  await allow(place.database, barrier.file);
  await allow(place.folder, barrier.folder);
  try {
    const env = { ...place.env, PORT: "0", AUTH_SECRET: SECRET };
    const { code, stdout, stderr } = await runUnprivileged(args(place), env);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.equal(stderr, `latchkey: cannot ${barrier.done} ${place.database}: ${REASON}\n`);
  } finally {
    await allow(place.folder, 7);
  }
}

for (const [what, barrier] of Object.entries(barriers)) {
  for (const [name, args] of Object.entries(commands)) {
    if (barrier.done === "write" && READING.includes(name)) continue;
    test(`${name} reports the missing permission for ${what}`, (t) =>
      assertBarred(t, args, barrier));
  }
}

test("import reports the missing permission, and that nothing was imported", async (t) => {
  const place = await filled(t, ["owner"], 0);
  const file = await fileWith(t, csvOf("guest"));
  await Promise.all([allow(join(file, ".."), 7), allow(file, 4), allow(place.folder, 0)]);
  try {
    const { code, stderr } = await runUnprivileged(["import", file], place.env);
    assert.equal(code, 1);
    assert.equal(
      stderr,
      `latchkey: nothing was imported: cannot read ${place.database}: ${REASON}\n`,
    );
  } finally {
    await allow(place.folder, 7);
  }
});

test("distinguishes a file without read permission from a missing file", async (t) => {
  const place = await opened(t);
  await allow(place.source, 0);
  for (const args of [
    ["restore", "--force", place.source],
    ["import", place.source],
  ]) {
    const { code, stderr } = await runUnprivileged(args, { DATA_DIR: place.own });
    assert.equal(code, 1);
    assert.equal(stderr, `latchkey: cannot read ${place.source}: ${REASON}\n`);
  }
});

test("names a folder without write permission", async (t) => {
  const place = await filled(t, ["owner"], 1);
  await give(place.folder, place.database);
  const folder = await tempDir(t);
  await allow(folder, 5);
  for (const args of [
    ["backup", join(folder, "x")],
    ["export", "--to", join(folder, "x")],
  ]) {
    const { code, stderr } = await runUnprivileged(args, place.env);
    assert.deepEqual([code, stderr], [1, `latchkey: cannot write to ${folder}: ${REASON}\n`]);
  }
});

if (isRoot) {
  test("reports a database of another user that everyone can write", async (t) => {
    const place = await filled(t, ["owner"], 1);
    await allow(place.folder, 7);
    await chmod(place.database, 0o666);
    const { code, stderr } = await runUnprivileged(["user", "list"], place.env);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /: latchkey\.db can be read by other users, and only its owner can change that\n$/,
    );
  });
}
