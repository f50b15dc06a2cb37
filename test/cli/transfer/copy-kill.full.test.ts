import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { LogEntry } from "../../../src/core/log-reader.ts";
import type { UserId } from "../../../src/core/store.ts";
import type { CopyTarget } from "../../../src/core/transfer/copy.ts";
import { openPostgres } from "../../../src/stores/postgres/store.ts";
import { openSqlite } from "../../../src/stores/sqlite/store.ts";
import { eventually } from "../../support/eventually.ts";
import { serverOfFile } from "../../support/postgres-file.ts";
import { type Ending, startLatchkey } from "../../support/process.ts";
import { hashText, logEntry } from "../../support/store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const ENTRIES = 50_000;
const KILLS = 10;

const server = await serverOfFile();

interface Side {
  /** As the command takes it. */
  readonly name: string;
  readonly store: CopyTarget;
}

async function sqliteSide(t: TestContext): Promise<Side> {
  const file = join(await tempDir(t), "latchkey.db");
  const store = await openSqlite({ file });
  t.after(() => store.close());
  return { name: `sqlite:${file}`, store };
}

async function postgresSide(t: TestContext): Promise<Side> {
  const url = await server.newDatabase();
  const store = await openPostgres({ url });
  t.after(() => store.close());
  return { name: url, store };
}

async function fill({ store }: Side): Promise<void> {
  const id = "the only one" as UserId;
  const users = [{ id, username: "owner", passwordHash: hashText("a hash") }];
  const entries = Array.from({ length: ENTRIES }, (_, i) => ({ ...logEntry(`é ${i}`), id: i + 1 }));
  await store.importBatch({
    ...{ users, entries, from: await store.readContents(), how: "add" },
    to: { mark: "by hand", lastEntryId: ENTRIES },
  });
}

async function allEntries({ store }: Side): Promise<readonly LogEntry[]> {
  const entries: LogEntry[] = [];
  while (entries.length % 5_000 === 0) {
    const page = await store.readLogEntries({ afterId: entries.at(-1)?.id ?? 0, limit: 5_000 });
    if (page.length === 0) break;
    entries.push(...page);
  }
  return entries;
}

async function assertSame(source: Side, target: Side): Promise<void> {
  const everyone = { afterId: "", limit: 9 };
  const [users, copied] = [source, target].map(({ store }) => store.readUsers(everyone));
  assert.deepEqual(await copied, await users);
  assert.deepEqual(await allEntries(target), await allEntries(source));
}

/** Runs the copy and acts on it once there are this many entries. */
async function copyUntil(
  t: TestContext,
  [source, target]: readonly [Side, Side],
  goal: number,
  interrupt: (kill: (signal: NodeJS.Signals) => void) => unknown,
): Promise<Ending> {
  const copying = startLatchkey(t, ["copy", "--from", source.name, "--to", target.name]);
  let over = false;
  const ended = copying.ended.finally(() => {
    over = true;
  });
  await eventually(
    async () => over || (await target.store.readContents()).entries >= goal || undefined,
    60_000,
  );
  await interrupt((signal) => copying.child.kill(signal));
  const ending = await ended;
  return { ...ending, stderr: withoutProgress(ending.stderr) };
}

/** On a busy machine a copy takes longer than the three seconds after which it shows progress. */
const withoutProgress = (stderr: string): string => stderr.replace(/^ *\d+% .*\n/gm, "");

const copyToTheEnd = (t: TestContext, sides: readonly [Side, Side]) =>
  copyUntil(t, sides, Number.POSITIVE_INFINITY, () => {});

const directions = {
  "SQLite to PostgreSQL": [sqliteSide, postgresSide],
  "PostgreSQL to SQLite": [postgresSide, sqliteSide],
} as const;
for (const [direction, [openSource, openTarget]] of Object.entries(directions)) {
  test(`from ${direction}, killed ${KILLS} times, copies each row once`, async (t) => {
    const [source, target] = [await openSource(t), await openTarget(t)];
    await fill(source);
    const goals = Array.from({ length: KILLS }, () => randomInt(ENTRIES - 10_000));
    for (const goal of goals.sort((a, b) => a - b)) {
      const { signal } = await copyUntil(t, [source, target], goal, (kill) => kill("SIGKILL"));
      assert.equal(signal, "SIGKILL", `killed at ${goal} of ${goals}`);
    }
    const { code, stdout, stderr } = await copyToTheEnd(t, [source, target]);
    assert.deepEqual([code, stderr], [0, ""], `killed at ${goals}`);
    assert.match(stdout, new RegExp(`^Copied 1 user and ${ENTRIES} log entries from `));
    await assertSame(source, target);
  });
}

test("a run after one killed while comparing compares and finishes", async (t) => {
  const [source, target] = [await sqliteSide(t), await postgresSide(t)];
  await fill(source);
  const first = await copyUntil(t, [source, target], ENTRIES, (kill) => kill("SIGKILL"));
  assert.equal(first.signal, "SIGKILL");
  assert.match((await target.store.readContents()).mark ?? "", /"entries":50000,.*"copying"/);
  assert.equal((await copyToTheEnd(t, [source, target])).code, 0);
  await assertSame(source, target);
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`${signal} stops a copy cleanly, and the same command continues`, async (t) => {
    const [source, target] = [await sqliteSide(t), await sqliteSide(t)];
    await fill(source);
    const first = await copyUntil(t, [source, target], 5_000, (kill) => kill(signal));
    assert.deepEqual(first, {
      ...{ code: 1, signal: null, stdout: "" },
      stderr: "latchkey: interrupted: run the same command again to continue\n",
    });
    assert.equal((await copyToTheEnd(t, [source, target])).code, 0);
    await assertSame(source, target);
  });
}

for (const side of ["source", "target"] as const) {
  test(`reports a lost ${side} in one line, and the same command continues when it is back`, async (t) => {
    const sides =
      side === "target"
        ? ([await sqliteSide(t), await postgresSide(t)] as const)
        : ([await postgresSide(t), await sqliteSide(t)] as const);
    await fill(sides[0]);
    const first = await copyUntil(t, sides, 5_000, () => server.stop("immediate"));
    await server.start();
    assert.deepEqual([first.code, first.stdout], [1, ""]);
    assert.match(
      first.stderr,
      /^latchkey: the copy stopped: [^\n]+; run the same command again to continue\n$/,
    );
    assert.equal((await copyToTheEnd(t, sides)).code, 0);
    await assertSame(...sides);
  });
}
