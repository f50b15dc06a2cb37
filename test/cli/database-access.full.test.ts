import assert from "node:assert/strict";
import { chmod, chown } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { runCommand } from "../support/command.ts";
import { SECRET } from "../support/gate.ts";
import { fileWith, tempDir } from "../support/temp-dir.ts";
import { allow, give, isRoot, OTHER_USER, runUnprivileged } from "./other-user.ts";
import { filled } from "./transfer/backup-place.ts";
import { csvOf } from "./transfer/import-file.ts";

const REASON = "permission denied (run as the user that owns it)";

/** A database, with a folder that this user may write to and a backup that they may read. */
async function opened(t: TestContext) {
  const place = await filled(t, ["owner"], 1);
  const own = await tempDir(t);
  const source = join(await tempDir(t), "source.db");
  assert.equal((await runCommand(["backup", source], { env: place.env })).code, 0);
  await Promise.all([allow(own, 7), allow(join(source, ".."), 7), allow(source, 4)]);
  return { ...place, own, source };
}

type Opened = Awaited<ReturnType<typeof opened>>;

const reading = (): readonly (readonly string[])[] => [["log"], ["serve"]];
const writing = ({ source, own, database }: Opened): readonly (readonly string[])[] => [
  ["serve"],
  ["restore", "--force", source],
  ["copy", "--from", `sqlite:${database}`, "--to", `sqlite:${own}/copy.db`],
];

for (const [what, folder, file, done, commands] of [
  ["a folder that it may not enter", 0, 6, "read", reading],
  ["a database that it may not read", 7, 0, "read", reading],
  ["a database that it may only read", 5, 4, "write", writing],
] as const) {
  test(`commands report the missing permission for ${what}`, async (t) => {
    const place = await opened(t);
    await allow(place.database, file);
    await allow(place.folder, folder);
    try {
      const env = { ...place.env, PORT: "0", AUTH_SECRET: SECRET };
      for (const args of commands(place)) {
        const { code, stdout, stderr } = await runUnprivileged(args, env);
        const text = `latchkey: cannot ${done} ${place.database}: ${REASON}\n`;
        assert.deepEqual([code, stdout, stderr], [1, "", text], args.join(" "));
      }
    } finally {
      await allow(place.folder, 7);
    }
  });
}

test("import reports the missing permission, and that nothing was imported", async (t) => {
  const place = await filled(t, ["owner"], 0);
  const file = await fileWith(t, csvOf("guest"));
  await Promise.all([allow(join(file, ".."), 7), allow(file, 4), allow(place.folder, 0)]);
  try {
    const { code, stderr } = await runUnprivileged(["import", file], place.env);
    const text = `nothing was imported: cannot read ${place.database}: ${REASON}`;
    assert.deepEqual([code, stderr], [1, `latchkey: ${text}\n`]);
  } finally {
    await allow(place.folder, 7);
  }
});

test("names a file without read permission, and a folder without write permission", async (t) => {
  const place = await opened(t);
  await allow(place.source, 0);
  for (const args of [
    ["restore", "--force", place.source],
    ["import", place.source],
  ]) {
    const { code, stderr } = await runUnprivileged(args, { DATA_DIR: place.own });
    assert.deepEqual([code, stderr], [1, `latchkey: cannot read ${place.source}: ${REASON}\n`]);
  }
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

test("reports the mode of an own data folder that it may not write to", async (t) => {
  const DATA_DIR = await tempDir(t);
  await (isRoot ? chown(DATA_DIR, OTHER_USER, OTHER_USER) : undefined);
  await chmod(DATA_DIR, 0o500);
  const { code, stderr } = await runUnprivileged(["serve"], { DATA_DIR, AUTH_SECRET: "auto" });
  assert.equal(code, 1);
  assert.ok(stderr.endsWith(`: permission denied by the mode of ${DATA_DIR}\n`), stderr);
});

if (isRoot) {
  test("a gate without access names the owner of its data folder, and the remedy", async (t) => {
    const DATA_DIR = await tempDir(t);
    await chmod(DATA_DIR, 0o755);
    for (const [owner, reason] of [
      [0, `root owns ${DATA_DIR} (chown it to ${OTHER_USER}, the user of this process)`],
      [12_345, `user 12345 owns ${DATA_DIR} (run as that user, not as ${OTHER_USER})`],
    ] as const) {
      await chown(DATA_DIR, owner, owner);
      for (const [AUTH_SECRET, failed] of [
        ["auto", `cannot make the secret in ${DATA_DIR}/auth-secret`],
        [SECRET, `cannot write ${DATA_DIR}/latchkey.db`],
      ] as const) {
        const { code, stderr } = await runUnprivileged(["serve"], { DATA_DIR, AUTH_SECRET });
        const text = `latchkey: ${failed}: permission denied: ${reason}\n`;
        assert.deepEqual([code, stderr], [1, text]);
      }
    }
  });

  test("reports a database of another user that everyone can write", async (t) => {
    const place = await filled(t, ["owner"], 1);
    await allow(place.folder, 7);
    await chmod(place.database, 0o666);
    const { code, stderr } = await runUnprivileged(["user", "list"], place.env);
    assert.equal(code, 1);
    const readable =
      /: latchkey\.db can be read by other users, and only its owner can change that\n$/;
    assert.match(stderr, readable);
  });
}
