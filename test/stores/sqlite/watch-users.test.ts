import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import type { UserId } from "../../../src/core/records.ts";
import { openSqlite, type SqliteStore } from "../../../src/stores/sqlite/store.ts";
import { execute } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { startNode } from "../../support/process.ts";
import { hashText, logEntry, newFile, openStore } from "../../support/store.ts";

/** Checks are 50 ms apart; without any, users would be read again after a second. */
const SOON_MS = 500;
const NOTHING_CHANGED: readonly unknown[] = [];

/** A watched store with two accounts, and the users that the watch has reported so far. */
async function watched(t: TestContext) {
  const file = await newFile(t);
  const store = await openStore(t, file);
  const [owner] = await Promise.all(
    ["owner", "guest"].map((username) =>
      store.users.insert({ username, passwordHash: hashText("a hash") }),
    ),
  );
  const reported: (UserId | "all")[] = [];
  const watch = store.changes.watch({
    monotonic: () => performance.now(),
    changed: (id) => reported.push(id),
  });
  assert.ok(owner);
  t.after(() => watch.close());
  const scene = { file, store, id: owner.id, reported, ...watch };
  await checked(scene);
  return scene;
}

type Scene = Awaited<ReturnType<typeof watched>>;

/** Resolves after a check that began later than this was called. */
async function checked({ confirmedAt }: Pick<Scene, "confirmedAt">): Promise<void> {
  const from = performance.now();
  await eventually(() => confirmedAt() > from || undefined);
}

async function reportedSoon({ reported }: Scene, of: readonly string[] = ["all"]): Promise<void> {
  await eventually(() => reported.some((id) => of.includes(id)) || undefined, SOON_MS);
}

const changes: Readonly<Record<string, (store: SqliteStore, id: UserId) => Promise<unknown>>> = {
  "a new account": (store) =>
    store.users.insert({ username: "new", passwordHash: hashText("a hash") }),
  "a new name": (store, id) => store.users.rename(id, "renamed"),
  "ended sessions": (store, id) => store.users.endSessions(id, 1_000),
  "all sessions ended": (store) => store.users.endAllSessions(1_000),
  "a removal": (store, id) => store.users.remove(id),
};

for (const [what, change] of Object.entries(changes)) {
  test(`reports ${what} by another connection soon`, async (t) => {
    const scene = await watched(t);
    const other = await openStore(t, scene.file);
    await change(other, scene.id);
    await reportedSoon(scene);
  });

  // Missing accounts are never cached.
  if (what === "a new account") continue;
  test(`reports ${what} by the watching connection`, async (t) => {
    const scene = await watched(t);
    await change(scene.store, scene.id);
    await reportedSoon(scene, [scene.id, "all"]);
  });
}

const CHANGE_IT = `
import { DatabaseSync } from "node:sqlite";
const database = new DatabaseSync(process.argv[1]);
database.exec("UPDATE users SET username = 'renamed' WHERE username = 'owner'");
`;

test("reports a plain SQL change of another process soon", async (t) => {
  const scene = await watched(t);
  const args = ["--input-type=module", "-e", CHANGE_IT, scene.file];
  const { code, stderr } = await startNode(t, args, {}).ended;
  assert.deepEqual([code, stderr], [0, ""]);
  await reportedSoon(scene);
});

test("does not report its own log entries as changed users", async (t) => {
  const scene = await watched(t);
  await scene.store.log.insert([logEntry("a sign-in")]);
  await checked(scene);
  assert.deepEqual(scene.reported, NOTHING_CHANGED);
});

test("reports a change only once it is committed", async (t) => {
  const scene = await watched(t);
  execute(scene.file, "BEGIN; UPDATE users SET username = 'x' WHERE username = 'owner'; ROLLBACK");
  await checked(scene);
  assert.deepEqual(scene.reported, NOTHING_CHANGED);
  execute(scene.file, "BEGIN; UPDATE users SET username = 'x' WHERE username = 'owner'; COMMIT");
  await reportedSoon(scene);
});

test("confirms while another connection holds the lock", async (t) => {
  const scene = await watched(t);
  const holder = new DatabaseSync(scene.file);
  t.after(() => holder.close());
  holder.exec("BEGIN IMMEDIATE");
  await checked(scene);
  assert.deepEqual(scene.reported, NOTHING_CHANGED);
});

test("neither reports nor confirms after the watch is closed", async (t) => {
  const scene = await watched(t);
  await scene.close();
  const confirmedAt = scene.confirmedAt();
  // Another watch of the same store shows when a check would have run.
  const other = scene.store.changes.watch({
    monotonic: () => performance.now(),
    changed: () => {},
  });
  t.after(() => other.close());
  execute(scene.file, "UPDATE users SET username = 'renamed' WHERE username = 'owner'");
  await checked(other);
  await checked(other);
  assert.deepEqual(scene.reported, NOTHING_CHANGED);
  assert.equal(scene.confirmedAt(), confirmedAt);
});

test("stops confirming when the database is closed", async (t) => {
  const store = await openSqlite({ file: await newFile(t) });
  const watch = store.changes.watch({ monotonic: () => performance.now(), changed: () => {} });
  t.after(() => watch.close());
  await checked(watch);
  store.close();
  const confirmedAt = watch.confirmedAt();
  const other = await watched(t);
  for (let i = 0; i < 3; i += 1) await checked(other);
  assert.equal(watch.confirmedAt(), confirmedAt);
});

test("does not keep the process alive by watching", async (t) => {
  const file = await newFile(t);
  const sqlite = new URL("../../../src/stores/sqlite/store.ts", import.meta.url);
  const script = `
    import { openSqlite } from ${JSON.stringify(sqlite)};
    const store = await openSqlite({ file: process.argv[1] });
    store.changes.watch({ monotonic: () => performance.now(), changed() {} });
    process.stdout.write("watching");
  `;
  const ending = await startNode(t, ["--input-type=module", "-e", script, file], {}).ended;
  assert.deepEqual(ending, { code: 0, signal: null, stdout: "watching", stderr: "" });
});
