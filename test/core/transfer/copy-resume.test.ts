import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { TransferUser, UserId } from "../../../src/core/store.ts";
import { type CopyProgress, type CopyTarget, copy } from "../../../src/core/transfer/copy.ts";
import type { ImportBatch } from "../../../src/core/transfer/transfer-store.ts";
import type { SqliteStore } from "../../../src/stores/sqlite/store.ts";
import { hashText, logEntry, openStore } from "../../support/store.ts";

const NAME = "sqlite:/source";

interface Stores {
  readonly source: SqliteStore;
  readonly target: SqliteStore;
}

/** A source that takes five batches: one of users, three of entries, and the mark of the end. */
async function stores(t: TestContext): Promise<Stores> {
  const [source, target] = [await openStore(t), await openStore(t)];
  const users = ["a", "b", "c"].map(
    (id): TransferUser => ({
      ...{ id: id as UserId, username: id, passwordHash: hashText(id) },
      sessions: JSON.stringify([[`session of ${id}`, 1, 2, 3, "::1", "curl"]]),
    }),
  );
  const entries = Array.from({ length: 2_500 }, (_, i) => ({
    ...logEntry(`entry ${i}`),
    id: i + 1,
  }));
  const from = await source.readContents();
  await source.importBatch({
    ...{ users, entries, from, how: "add" },
    to: { mark: "by hand", lastEntryId: 2_500 },
  });
  return { source, target };
}

interface Running {
  readonly source: SqliteStore;
  readonly target: CopyTarget;
  readonly name?: string;
  readonly progress?: (progress: CopyProgress) => void;
  readonly signal?: AbortSignal;
}

const run = ({ source, target, name = NAME, progress = () => {}, signal }: Running) =>
  copy(source, target, { name, progress, signal: signal ?? new AbortController().signal });

async function assertCopied({ source, target }: Stores): Promise<void> {
  const everyone = { afterId: "", limit: 9 };
  const all = { afterId: 0, limit: 9_999 };
  assert.deepEqual(await target.readUsers(everyone), await source.readUsers(everyone));
  assert.deepEqual(await target.readLogEntries(all), await source.readLogEntries(all));
}

/** Fails, as a lost connection would, once so many batches went in; and counts the rows. */
function failingAfter(target: SqliteStore, batches: number): CopyTarget & { rows(): number } {
  let rows = 0;
  let left = batches;
  return {
    ...target,
    rows: () => rows,
    async importBatch(batch: ImportBatch) {
      if (left === 0) throw new Error("the connection is lost");
      left -= 1;
      rows += batch.users.length + batch.entries.length;
      return target.importBatch(batch);
    },
  };
}

for (const batches of [1, 2, 3, 4]) {
  test(`continues a copy that failed after ${batches} batches`, async (t) => {
    const { source, target } = await stores(t);
    const first = failingAfter(target, batches);
    await assert.rejects(run({ source, target: first }), /the connection is lost/);
    const second = failingAfter(target, 100);
    const copied = { kind: "copied", users: 3, entries: 2_500 };
    assert.deepEqual(await run({ source, target: second }), copied);
    assert.equal(first.rows() + second.rows(), 2_503);
    await assertCopied({ source, target });
  });
}

test("refuses to continue the copy of another source", async (t) => {
  const { source, target } = await stores(t);
  await assert.rejects(run({ source, target: failingAfter(target, 2) }));
  const before = await target.readContents();
  const outcome = await run({ source, target, name: "sqlite:/other" });
  assert.deepEqual(outcome, { kind: "target-of-another", source: NAME });
  assert.deepEqual(await target.readContents(), before);
});

const olderThan = new Date(9_999);
const uses: Readonly<Record<string, (target: SqliteStore) => Promise<unknown>>> = {
  "gained an entry": (target) => target.insertLogEntries([logEntry("a sign-in")]),
  "lost an entry": (target) => target.pruneLogEntries(olderThan, 1),
  async "gained an entry and lost another"(target) {
    await target.insertLogEntries([logEntry("a sign-in")]);
    await target.pruneLogEntries(olderThan, 1);
  },
};
for (const [what, use] of Object.entries(uses)) {
  test(`refuses a target that has ${what} since the interruption`, async (t) => {
    const { source, target } = await stores(t);
    await assert.rejects(run({ source, target: failingAfter(target, 2) }));
    await use(target);
    assert.deepEqual(await run({ source, target }), { kind: "target-changed" });
  });
}

test("stops when the target is used during the copy", async (t) => {
  const { source, target } = await stores(t);
  let batches = 0;
  const used: CopyTarget = {
    ...target,
    async importBatch(batch) {
      const outcome = await target.importBatch(batch);
      batches += 1;
      if (batches === 2) await target.insertLogEntries([logEntry("a sign-in")]);
      return outcome;
    },
  };
  assert.deepEqual(await run({ source, target: used }), { kind: "target-changed" });
  const [last] = await target.readLogEntries({ afterId: 1_000, limit: 9 });
  assert.deepEqual([last?.summary, batches], ["a sign-in", 3]);
});

test("refuses an unfinished copy as source", async (t) => {
  const { source, target } = await stores(t);
  await assert.rejects(run({ source, target: failingAfter(target, 2) }));
  const outcome = await run({ source: target, target: await openStore(t) });
  assert.deepEqual(outcome, { kind: "source-unfinished", source: NAME });
});

test("copies each row once when two copies run concurrently", async (t) => {
  const { source, target } = await stores(t);
  const outcomes = await Promise.all([run({ source, target }), run({ source, target })]);
  assert.ok(
    outcomes.some(({ kind }) => kind === "copied"),
    JSON.stringify(outcomes),
  );
  await assertCopied({ source, target });
});

test("finishes a copy that is overtaken in its last step", async (t) => {
  const { source, target } = await stores(t);
  let overtaken = 0;
  const racing: CopyTarget = {
    ...target,
    importBatch: async (batch) => {
      const isLast = batch.users.length + batch.entries.length === 0;
      if (!isLast || overtaken > 0) return target.importBatch(batch);
      overtaken += 1;
      return "overtaken";
    },
  };
  const outcome = await run({ source, target: racing });
  assert.deepEqual([outcome, overtaken], [{ kind: "copied", users: 3, entries: 2_500 }, 1]);
  assert.equal(JSON.parse((await target.readContents()).mark ?? "").state, "finished");
});

test("throws a failure that happens during an abort", async (t) => {
  const { source, target } = await stores(t);
  const stopping = new AbortController();
  const failing: CopyTarget = {
    ...target,
    importBatch: async () => {
      stopping.abort();
      throw new Error("the connection is lost");
    },
  };
  const running = run({ source, target: failing, signal: stopping.signal });
  await assert.rejects(running, /the connection is lost/);
});

test("stops after the current batch on abort, and continues on the next run", async (t) => {
  const { source, target } = await stores(t);
  const early = await run({ source, target, signal: AbortSignal.abort() });
  assert.deepEqual([early, (await target.readContents()).users], [{ kind: "interrupted" }, 0]);
  const stopping = new AbortController();
  const progress = ({ entries }: CopyProgress) => {
    if (entries.done >= 1_000) stopping.abort();
  };
  const outcome = await run({ source, target, progress, signal: stopping.signal });
  assert.deepEqual(outcome, { kind: "interrupted" });
  assert.equal((await target.readContents()).entries, 1_000);
  assert.equal((await run({ source, target })).kind, "copied");
  await assertCopied({ source, target });
});
