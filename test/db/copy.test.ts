import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { copyStore } from "../../src/db/copy-store.ts";
import type { SqliteStore } from "../../src/db/sqlite/store.ts";
import type { RowReader, TransferStore } from "../../src/db/transfer-store.ts";
import { Unavailable } from "../../src/lib/fault.ts";
import { hashText, logEntry, openStore } from "../support/store.ts";
import { rows, rowsIn, user } from "./either.ts";

const NOTHING = { users: 0, entries: 0 };

async function fill(store: SqliteStore, users: number, entries: number): Promise<void> {
  const [ids, texts] = [users, entries].map((length) => Array.from({ length }, (_, i) => `${i}`));
  await store.transfer.importRows([
    ...rows(
      (ids ?? []).map((id) => user(id)),
      texts,
    ),
    {
      table: "sessions",
      rows: (ids ?? []).map((id) => [`session of ${id}`, id, 1, 2, 3, "::1", "curl", null]),
    },
  ]);
}

async function stores(t: TestContext, users = 3, entries = 2_500) {
  const source = await openStore(t);
  await fill(source, users, entries);
  return { source, target: await openStore(t) };
}

interface Running {
  readonly source: { readonly transfer: RowReader };
  readonly target: SqliteStore | TransferStore;
}

const run = ({ source, target }: Running) =>
  copyStore(source.transfer, "transfer" in target ? target.transfer : target);

async function assertCopied({ source, target }: Awaited<ReturnType<typeof stores>>): Promise<void> {
  assert.deepEqual(await rowsIn(target), await rowsIn(source));
}

test("copies all rows page by page, and tells how far it is", async (t) => {
  const both = await stores(t, 1_500);
  const steps = new Map<string, number>();
  const passed: Parameters<typeof copyStore>[2] = (step, counts) =>
    steps.set(step, counts.get("log")?.count ?? 0);
  const outcome = await copyStore(both.source.transfer, both.target.transfer, passed);
  assert.deepEqual(outcome, { kind: "copied", users: 1_500, entries: 2_500 });
  assert.deepEqual(Object.fromEntries(steps), { copying: 2_500, comparing: 2_500 });
  await assertCopied(both);
  const again = await run(both);
  assert.deepEqual(again, { kind: "target-occupied", users: 1_500, entries: 2_500 });
});

test("numbers the entries of the target from one, without the gaps of the source", async (t) => {
  const { source, target } = await stores(t, 1, 4);
  await source.log.pruneType("signin", 2, 9);
  assert.equal((await run({ source, target })).kind, "copied");
  const entries = await target.log.read({ afterId: 0, limit: 9 });
  const found = entries.map(({ id, summary }) => [id, summary]);
  assert.deepEqual(found, [
    [1, "2"],
    [2, "3"],
  ]);
});

for (const [what, users, entries] of [
  ["users without a log", 2, 0],
  ["a log without users", 0, 2],
  ["as many users as entries", 2, 2],
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

test("refuses a target that gets an account meanwhile", async (t) => {
  const { source, target } = await stores(t, 3, 0);
  const late: TransferStore = {
    ...target.transfer,
    async importRows(...asked) {
      await target.users.insertFirst({ username: "owner", passwordHash: hashText("own") });
      return target.transfer.importRows(...asked);
    },
  };
  const outcome = await run({ source, target: late });
  assert.deepEqual(outcome, { kind: "target-occupied", users: 1, entries: 0 });
});

for (const [what, change, of] of [
  [
    "a new password",
    ({ users }: SqliteStore) => {
      const { id, passwordHash } = user("1");
      return users.replaceHash(id, passwordHash, hashText("new"));
    },
    "users",
  ],
  ["a new entry", ({ log }: SqliteStore) => log.insert([logEntry("late")]), "log entries"],
] as const) {
  test(`copies nothing if the source gets ${what} meanwhile`, async (t) => {
    const { source, target } = await stores(t);
    let readings = 0;
    const changing: RowReader = {
      ...source.transfer,
      async readRows(table, after, limit) {
        if (table === "users" && after === "") readings += 1;
        if (table === "users" && after === "" && readings === 2) await change(source);
        return source.transfer.readRows(table, after, limit);
      },
    };
    await assert.rejects(run({ source: { transfer: changing }, target }), {
      code: "source_changed",
      message: `the ${of} of the source changed during the copy`,
    });
    assert.deepEqual(await target.transfer.readAmounts(), NOTHING);
    assert.equal((await run({ source, target })).kind, "copied");
  });
}

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
    const damaged: RowReader = {
      ...source.transfer,
      readRows: (table, ...given) =>
        table === "log" ? Promise.reject(error) : source.transfer.readRows(table, ...given),
    };
    await assert.rejects(run({ source: { transfer: damaged }, target }), expected);
    assert.deepEqual(await target.transfer.readAmounts(), NOTHING);
  });
}
