import assert from "node:assert/strict";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { changeForm, OWNER, startConfigured } from "../../support/gate.ts";
import { type Running, startLatchkey } from "../../support/process.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { places } from "../user/either.ts";
import { sqlitePlace } from "../user/place.ts";
import { HASH, HEADER } from "./import-file.ts";

const LINES = 200_000;
const LINES_TO_KILL = 20_000;

async function fileOf(t: TestContext, lines: number): Promise<string> {
  const file = join(await tempDir(t), "many.csv");
  const output = createWriteStream(file);
  output.write(HEADER);
  for (let n = 0; n < lines; n += 1_000) {
    const some = Array.from({ length: 1_000 }, (_, i) => `user ${n + i},${HASH}\n`);
    if (!output.write(some.join(""))) await once(output, "drain");
  }
  output.end();
  await once(output, "finish");
  return file;
}

for (const [kind, open] of Object.entries(places)) {
  test(`${kind}: imports ${LINES} lines`, async (t) => {
    const place = await open(t, "owner");
    const file = await fileOf(t, LINES);
    const { code, stdout } = await startLatchkey(t, ["import", file], place.env).ended;
    assert.deepEqual([code, stdout], [0, `Imported ${LINES} users\n`]);
    assert.equal((await place.store.transfer.readAmounts()).users, LINES + 1);
  });
}

test("a killed import leaves whole transactions, and --skip-bad goes on", async (t) => {
  const place = await sqlitePlace(t, "owner");
  const file = await fileOf(t, LINES_TO_KILL);
  const running = startLatchkey(t, ["import", file], place.env);
  // From then on, no other connection can write.
  const { DATA_DIR = "" } = place.env;
  await writing(join(DATA_DIR, "latchkey.db"), running);
  running.child.kill("SIGKILL");
  assert.equal((await running.ended).signal, "SIGKILL");
  const { users } = await place.store.transfer.readAmounts();
  assert.equal((users - 1) % 1_000, 0);
  const again = await startLatchkey(t, ["import", "--skip-bad", file], place.env).ended;
  assert.match(again.stdout, new RegExp(`^Imported ${LINES_TO_KILL - users + 1} users`));
  assert.equal((await place.store.transfer.readAmounts()).users, LINES_TO_KILL + 1);
});

test("an import that can no longer write says how far it is and how to go on", async (t) => {
  const place = await sqlitePlace(t, "owner");
  const { DATA_DIR = "" } = place.env;
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(join(DATA_DIR, "latchkey.db"));
  database.exec(
    "CREATE TRIGGER full BEFORE INSERT ON latchkey_users WHEN NEW.username = 'user 10500' BEGIN SELECT RAISE(ABORT, 'full'); END",
  );
  database.close();
  const { code, stderr } = await startLatchkey(
    t,
    ["import", await fileOf(t, LINES_TO_KILL)],
    place.env,
  ).ended;
  assert.equal(code, 1);
  assert.match(
    stderr,
    /the import stopped after 10000 users: .*; the same command with --skip-bad imports the others\n$/,
  );
  assert.equal((await place.store.transfer.readAmounts()).users, 10_001);
});

/** Resolves while another connection holds the write lock. */
async function writing(file: string, running: Running): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    while (running.child.exitCode === null) {
      try {
        database.exec("BEGIN IMMEDIATE; ROLLBACK");
      } catch {
        return;
      }
      await sleep(1);
    }
    throw new Error("the import was over before");
  } finally {
    database.close();
  }
}

test("the gate serves requests during an import and finds imported users at once", async (t) => {
  const place = await sqlitePlace(t);
  const { gate, session } = await startConfigured(t, { dataDir: place.env.DATA_DIR ?? "" });
  const running = startLatchkey(t, ["import", await fileOf(t, 50_000)], place.env);
  let asked = 0;
  while (running.child.exitCode === null) {
    assert.equal((await gate.send("/account/profile", { session })).status, 200);
    asked += 1;
  }
  assert.equal((await running.ended).code, 0);
  assert.ok(asked > 10, `${asked} requests`);
  assert.equal((await place.store.transfer.readAmounts()).users, 50_001);
  const changed = await gate.send("/account/password", {
    session,
    form: changeForm(OWNER.password, "correct horse 2"),
  });
  assert.equal(changed.status, 303);
});
