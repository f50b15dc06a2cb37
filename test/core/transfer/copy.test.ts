import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { messageOf, Unavailable } from "../../../src/core/base/fault.ts";
import type { TransferUser, UserId } from "../../../src/core/store.ts";
import { type CopyProgress, type CopyTarget, copy } from "../../../src/core/transfer/copy.ts";
import type { SqliteStore } from "../../../src/stores/sqlite/store.ts";
import { hashText, logEntry, openStore } from "../../support/store.ts";

const EVERYTHING = { afterId: "", limit: 100_000 };
const ALL_ENTRIES = { afterId: 0, limit: 100_000 };
const NOTHING = { users: 0, entries: 0 };

const userNamed = (username: string): TransferUser => ({
  id: `id of ${username}` as UserId,
  username,
  passwordHash: hashText(`hash of ${username}`),
  sessions: JSON.stringify([[`session of ${username}`, 1, 2, 3, "::1", "curl"]]),
});

async function fill(store: SqliteStore, users: number, entries: number): Promise<void> {
  const rows = {
    users: Array.from({ length: users }, (_, i) => userNamed(`user ${i}`)),
    entries: Array.from({ length: entries }, (_, i) =>
      logEntry(`entry ${i}`, { at: new Date(i), userId: `user ${i}` as UserId }),
    ),
  };
  await store.importRecords([rows]);
}

interface Stores {
  readonly source: SqliteStore;
  readonly target: SqliteStore;
}

async function stores(t: TestContext, users = 3, entries = 2_500): Promise<Stores> {
  const source = await openStore(t);
  await fill(source, users, entries);
  return { source, target: await openStore(t) };
}

interface Running {
  readonly source: SqliteStore;
  readonly target: CopyTarget;
  readonly progress?: (progress: CopyProgress) => void;
  readonly signal?: AbortSignal;
}

const run = ({ source, target, progress = () => {}, signal }: Running) =>
  copy(source, target, { progress, signal: signal ?? new AbortController().signal });

async function assertCopied({ source, target }: Stores): Promise<void> {
  assert.deepEqual(await target.readUsers(EVERYTHING), await source.readUsers(EVERYTHING));
  assert.deepEqual(
    await target.readLogEntries(ALL_ENTRIES),
    await source.readLogEntries(ALL_ENTRIES),
  );
}

test("copies all users and entries with user IDs, times, hashes, sessions and order", async (t) => {
  const both = await stores(t, 1_500);
  assert.deepEqual(await run(both), { kind: "copied", users: 1_500, entries: 2_500 });
  await assertCopied(both);
});

test("numbers the entries of the target from one, without the gaps of the source", async (t) => {
  const { source, target } = await stores(t, 1, 4);
  await source.pruneLogEntries(new Date(2), 9);
  assert.equal((await run({ source, target })).kind, "copied");
  const entries = await target.readLogEntries(ALL_ENTRIES);
  assert.deepEqual(
    entries.map(({ id, summary }) => [id, summary]),
    [
      [1, "entry 2"],
      [2, "entry 3"],
    ],
  );
});

for (const [what, users, entries] of [
  ["users without a log", 2, 0],
  ["a log without users", 0, 2],
  ["one of each", 1, 1],
] as const) {
  test(`${what} can be copied`, async (t) => {
    const both = await stores(t, users, entries);
    assert.deepEqual(await run(both), { kind: "copied", users, entries });
    await assertCopied(both);
  });
}

test("refuses an empty source", async (t) => {
  assert.deepEqual(await run(await stores(t, 0, 0)), { kind: "source-empty" });
});

for (const [what, put] of Object.entries({
  "an account": (store: SqliteStore) =>
    store.insertFirstUser({ username: "owner", passwordHash: hashText("own") }),
  "a log entry": (store: SqliteStore) => store.insertLogEntries([logEntry("own")]),
})) {
  test(`refuses a target with ${what} and leaves it unchanged`, async (t) => {
    const { source, target } = await stores(t);
    await put(target);
    const before = await target.readContents();
    assert.deepEqual(await run({ source, target }), { kind: "target-occupied", ...before });
    assert.deepEqual(await target.readContents(), before);
  });
}

test("refuses a target that gets an account meanwhile", async (t) => {
  const { source, target } = await stores(t, 3, 0);
  const late: CopyTarget = {
    ...target,
    async importRecords(...asked) {
      await target.insertFirstUser({ username: "owner", passwordHash: hashText("own") });
      return target.importRecords(...asked);
    },
  };
  const outcome = await run({ source, target: late });
  assert.deepEqual(outcome, { kind: "target-occupied", users: 1, entries: 0 });
});

test("copies nothing if the target cannot store a row", async (t) => {
  const { source, target } = await stores(t);
  const holding: CopyTarget = {
    ...target,
    problemWith: ({ entries }) =>
      entries.some(({ summary }) => summary === "entry 2400") ? "too much" : undefined,
  };
  const running = run({ source, target: holding });
  await assert.rejects(running, { code: "unstorable", message: "too much" });
  assert.deepEqual(await target.readContents(), NOTHING);
});

for (const [what, change, of] of [
  [
    "a new password",
    ({ replacePasswordHash }: SqliteStore) => {
      const { id, passwordHash } = userNamed("user 1");
      return replacePasswordHash(id, passwordHash, hashText("new"));
    },
    "users",
  ],
  [
    "a new entry",
    ({ insertLogEntries }: SqliteStore) => insertLogEntries([logEntry("late")]),
    "log entries",
  ],
] as const) {
  test(`copies nothing if the source gets ${what} meanwhile`, async (t) => {
    const { source, target } = await stores(t);
    const changed = Promise.withResolvers<unknown>();
    const progress = ({ step, users }: CopyProgress): void => {
      if (step === "checking" && users.done === 0) changed.resolve(change(source));
    };
    await assert.rejects(run({ source, target, progress }), {
      code: "source_changed",
      message: `the ${of} of the source changed during the copy`,
    });
    await changed.promise;
    assert.deepEqual(await target.readContents(), NOTHING);
    assert.equal((await run({ source, target })).kind, "copied");
  });
}

test("reads a thousand rows at a time, and reports its progress to the total in each step", async (t) => {
  const both = await stores(t, 3, 2_500);
  const seen: CopyProgress[] = [];
  await run({ ...both, progress: (one) => seen.push(one) });
  for (const step of ["copying", "checking", "comparing"]) {
    const told = seen.filter((one) => one.step === step);
    const counts = told.map(({ users, entries }) => `${users.done}, ${entries.done}`);
    assert.deepEqual(counts, ["0, 0", "3, 0", "3, 1000", "3, 2000", "3, 2500"], step);
    const totals = new Set(told.map(({ users, entries }) => `${users.total}, ${entries.total}`));
    assert.deepEqual([...totals], ["3, 2500"], step);
  }
  assert.deepEqual(seen.at(-1)?.step, "comparing");
});

/** Aborts in this step, after the first page of entries. */
function stopIn(step: CopyProgress["step"]) {
  const stopping = new AbortController();
  const progress = (now: CopyProgress): void => {
    if (now.step === step && now.entries.done === 1_000) stopping.abort();
  };
  return { progress, signal: stopping.signal };
}

for (const step of ["copying", "checking"] as const) {
  test(`copies nothing when it is interrupted while ${step}`, async (t) => {
    const both = await stores(t);
    await assert.rejects(run({ ...both, ...stopIn(step) }), { code: "interrupted" });
    assert.deepEqual(await both.target.readContents(), NOTHING);
    assert.equal((await run(both)).kind, "copied");
  });
}

test("reports a copy whose comparison is interrupted", async (t) => {
  const both = await stores(t);
  const outcome = await run({ ...both, ...stopIn("comparing") });
  assert.ok(outcome.kind === "not-compared");
  assert.equal(messageOf(outcome.reason), "interrupted");
  await assertCopied(both);
});

test("throws a failure that happens during an abort", async (t) => {
  const { source, target } = await stores(t);
  const stopping = new AbortController();
  const failing: CopyTarget = {
    ...target,
    importRecords: async () => {
      stopping.abort();
      throw new Error("the connection is lost");
    },
  };
  const running = run({ source, target: failing, signal: stopping.signal });
  await assert.rejects(running, /the connection is lost/);
});

test("lets other work run between two pages", async (t) => {
  const both = await stores(t);
  let turns = 0;
  let running = true;
  const count = async (): Promise<void> => {
    for (; running; turns += 1) await turn();
  };
  const counting = count();
  await run(both);
  running = false;
  await counting;
  assert.ok(turns >= 12, `${turns} turns`);
});

for (const [what, error, expected] of [
  [
    "another error as a fault",
    new Error("disk I/O error"),
    { code: "unreadable", message: "disk I/O error" },
  ],
  ["that it is unavailable", new Unavailable("store_busy", "busy", 2), { code: "store_busy" }],
] as const) {
  test(`reports ${what} when a page of the source cannot be read`, async (t) => {
    const { source, target } = await stores(t);
    const damaged = { ...source, readLogEntries: () => Promise.reject(error) };
    await assert.rejects(run({ source: damaged, target }), expected);
    assert.deepEqual(await target.readContents(), NOTHING);
  });
}
