import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { LogEntry } from "../../../src/core/log-reader.ts";
import type { TransferUser, UserId } from "../../../src/core/store.ts";
import { type CopyProgress, type CopyTarget, copy } from "../../../src/core/transfer/copy.ts";
import type { ImportRows } from "../../../src/core/transfer/transfer-store.ts";
import type { SqliteStore } from "../../../src/stores/sqlite/store.ts";
import { hashText, logEntry, openStore } from "../../support/store.ts";

const EVERYTHING = { afterId: "", limit: 100_000 };
const ALL_ENTRIES = { afterId: 0, limit: 100_000 };

/** Users and entries with gaps between their IDs, and an end of the log above all of them. */
async function fill(store: SqliteStore, users: number, entries: number): Promise<void> {
  const rows: ImportRows = {
    users: Array.from({ length: users }, (_, i) => userNamed(`user ${i}`)),
    entries: Array.from({ length: entries }, (_, i) => ({
      ...logEntry(`entry ${i}`, { at: new Date(i) }),
      id: 3 * i + 2,
    })),
  };
  const to = { mark: JSON.stringify({ finished: "by hand" }), lastEntryId: 3 * entries + 100 };
  await store.importBatch({ ...rows, from: await store.readContents(), to, how: "add" });
}

const userNamed = (username: string): TransferUser => ({
  id: `id of ${username}` as UserId,
  username,
  passwordHash: hashText(`hash of ${username}`),
  sessions: JSON.stringify([[`session of ${username}`, 1, 2, 3, "::1", "curl"]]),
});

interface Stores {
  readonly source: SqliteStore;
  readonly target: SqliteStore;
}

async function stores(t: TestContext, users = 3, entries = 2_500): Promise<Stores> {
  const source = await openStore(t);
  if (users + entries > 0) await fill(source, users, entries);
  return { source, target: await openStore(t) };
}

interface Running {
  readonly source: SqliteStore;
  readonly target: CopyTarget;
  readonly progress?: (progress: CopyProgress) => void;
}

const run = ({ source, target, progress = () => {} }: Running) =>
  copy(source, target, { name: "source", progress, signal: new AbortController().signal });

async function assertCopied({ source, target }: Stores): Promise<void> {
  assert.deepEqual(await target.readUsers(EVERYTHING), await source.readUsers(EVERYTHING));
  assert.deepEqual(
    await target.readLogEntries(ALL_ENTRIES),
    await source.readLogEntries(ALL_ENTRIES),
  );
}

test("copies all users and entries with IDs, times, hashes, sessions and order", async (t) => {
  const both = await stores(t, 1_500);
  assert.deepEqual(await run(both), { kind: "copied", users: 1_500, entries: 2_500 });
  await assertCopied(both);
});

test("continues the target's log IDs after the highest ID of the source", async (t) => {
  const { source, target } = await stores(t, 1, 4);
  await run({ source, target });
  await target.insertLogEntries([logEntry("later")]);
  assert.equal((await target.readLogEntries({ afterId: 11, limit: 9 }))[0]?.id, 113);
});

for (const [what, users, entries] of [
  ["users without a log", 2, 0],
  ["a log without users", 0, 2],
] as const) {
  test(`${what} can be copied`, async (t) => {
    const both = await stores(t, users, entries);
    assert.deepEqual(await run(both), { kind: "copied", users, entries });
    await assertCopied(both);
  });
}

test("refuses an empty source and leaves the target unmarked", async (t) => {
  const { source, target } = await stores(t, 0, 0);
  assert.deepEqual(await run({ source, target }), { kind: "source-empty" });
  assert.equal((await target.readContents()).mark, undefined);
});

for (const [what, put] of Object.entries({
  "an account": (store: SqliteStore) =>
    store.insertFirstUser({ username: "owner", passwordHash: hashText("own") }),
  "a log entry": (store: SqliteStore) => store.insertLogEntries([logEntry("own")]),
  "a finished copy": (store: SqliteStore) => fill(store, 1, 1),
})) {
  test(`refuses a target with ${what} and leaves it unchanged`, async (t) => {
    const { source, target } = await stores(t);
    await put(target);
    const before = await target.readContents();
    const { users, entries } = before;
    assert.deepEqual(await run({ source, target }), { kind: "target-occupied", users, entries });
    assert.deepEqual(await target.readContents(), before);
  });
}

test("refuses to repeat a finished copy", async (t) => {
  const { source, target } = await stores(t, 1, 1);
  await run({ source, target });
  const again = await run({ source, target });
  assert.deepEqual(again, { kind: "target-occupied", users: 1, entries: 1 });
});

test("reports rows that the target cannot store before writing", async (t) => {
  const { source, target } = await stores(t);
  const holding: CopyTarget = {
    ...target,
    problemWith: ({ entries }: { readonly entries: readonly LogEntry[] }) =>
      entries.some(({ summary }) => summary === "entry 2400") ? "too much" : undefined,
  };
  const outcome = await run({ source, target: holding });
  assert.deepEqual(outcome, { kind: "unstorable", problem: "too much" });
  assert.deepEqual(await target.readContents(), {
    ...{ mark: undefined, users: 0, entries: 0, lastEntryId: 0 },
  });
});

test("can copy from a finished copy", async (t) => {
  const { source, target } = await stores(t);
  await run({ source, target });
  const third = await openStore(t);
  assert.equal((await run({ source: target, target: third })).kind, "copied");
  await assertCopied({ source, target: third });
});

test("marks the copy as finished with its numbers", async (t) => {
  const { source, target } = await stores(t);
  await run({ source, target });
  const { state, users, entries } = JSON.parse((await target.readContents()).mark ?? "");
  assert.deepEqual([state, users, entries], ["finished", 3, 2_500]);
});

test("reads and writes at most a thousand rows at a time", async (t) => {
  const { source, target } = await stores(t, 2_100);
  const sizes: number[] = [];
  const counting: CopyTarget = {
    ...target,
    importBatch(batch) {
      sizes.push(batch.users.length + batch.entries.length);
      return target.importBatch(batch);
    },
  };
  await run({ source, target: counting });
  assert.deepEqual(sizes, [1_000, 1_000, 100, 1_000, 1_000, 500, 0]);
});

test("reports increasing progress from zero to the total in each step", async (t) => {
  const { source, target } = await stores(t, 3, 2_500);
  const seen: CopyProgress[] = [];
  const checking: CopyTarget = { ...target, problemWith: () => undefined };
  await run({ source, target: checking, progress: (one) => seen.push(one) });
  for (const step of ["checking", "copying", "comparing"] as const) {
    const told = seen.filter((one) => one.step === step);
    const counts = told.map(({ entries }) => entries.done);
    assert.deepEqual(counts, [0, 0, 1_000, 2_000, 2_500], step);
    const totals = new Set(told.map(({ users, entries }) => `${users.total}, ${entries.total}`));
    assert.deepEqual([...totals], ["3, 2500"], step);
  }
  assert.deepEqual(seen.at(-1), {
    step: "comparing",
    users: { done: 3, total: 3 },
    entries: { done: 2_500, total: 2_500 },
  });
});
