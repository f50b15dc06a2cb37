import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { LogReader } from "../../src/core/log/log-reader.ts";
import type { NewLogEntry, Store } from "../../src/core/store.ts";
import { openPostgres } from "../../src/stores/postgres/store.ts";
import { openSqlite } from "../../src/stores/sqlite/store.ts";
import { startPostgres } from "../support/postgres.ts";
import { tempDir } from "../support/temp-dir.ts";

type LogStore = Pick<Store, "insertLogEntries"> & LogReader;

const stores: Readonly<Record<string, (t: TestContext) => Promise<LogStore>>> = {
  async SQLite(t) {
    const store = await openSqlite({ file: join(await tempDir(t), "latchkey.db") });
    t.after(() => store.close());
    return store;
  },
  async PostgreSQL(t) {
    const postgres = await startPostgres(t);
    const store = await openPostgres({ url: postgres.url() });
    t.after(() => store.close());
    return store;
  },
};

const START = Date.UTC(2030, 0, 1);
const at = (second: number): Date => new Date(START + second * 1000);

const entry = (second: number, type = "signin"): NewLogEntry => ({
  at: at(second),
  type,
  summary: `at ${second}`,
  author: "system",
});

/** Written in this order. `since` is in the same unit as `seconds`. */
const cases: readonly { name: string; seconds: readonly number[]; since: number }[] = [
  { name: "in the order of their times", seconds: [1, 2, 3, 4, 5], since: 3 },
  { name: "with two that were written late", seconds: [1, 4, 5, 3, 6, 2], since: 3 },
  { name: "with one whose clock was ahead", seconds: [1, 9, 2, 3, 4], since: 3 },
  { name: "in the reverse order", seconds: [6, 5, 4, 3, 2, 1], since: 4 },
  { name: "all at the same time", seconds: [3, 3, 3], since: 3 },
  { name: "none since then", seconds: [1, 2, 3], since: 4 },
];

for (const [name, open] of Object.entries(stores)) {
  test(`${name}: finds entries since a time in any order of writing`, async (t) => {
    const store = await open(t);
    let afterId = 0;
    for (const { name: order, seconds, since } of cases) {
      await store.insertLogEntries(seconds.map((second) => entry(second)));
      const query = { afterId, limit: 100 };
      const found = await store.readLogEntries({ ...query, since: at(since) });
      const all = await store.readLogEntries(query);
      const matching = all.filter((one) => one.at.getTime() >= at(since).getTime());
      assert.equal(all.length, seconds.length);
      assert.deepEqual(found, matching, order);
      afterId = all.at(-1)?.id ?? 0;
    }
  });

  test(`${name}: finds the newest entries since a time among many, also of one type`, async (t) => {
    const store = await open(t);
    // More entries than the search for the start examines, with the rare type among the oldest.
    const many = Array.from({ length: 12_000 }, (_, second) =>
      entry(second, second < 30 ? "signup" : "signin"),
    );
    await store.insertLogEntries(many);
    const newest = async (filter: { type?: string; since: Date }): Promise<readonly string[]> => {
      const afterId = await store.startOfNewest(3, filter);
      const entries = await store.readLogEntries({ ...filter, afterId, limit: 3 });
      return entries.map(({ summary }) => summary);
    };
    const last = ["at 11997", "at 11998", "at 11999"];
    assert.deepEqual(await newest({ since: at(0) }), last);
    assert.deepEqual(await newest({ since: at(11_998) }), last.slice(1));
    assert.deepEqual(await newest({ since: at(10), type: "signup" }), ["at 27", "at 28", "at 29"]);
    assert.deepEqual(await newest({ since: at(28), type: "signup" }), ["at 28", "at 29"]);
    assert.deepEqual(await newest({ since: at(30), type: "signup" }), []);
  });

  test(`${name}: a page of entries since a time continues after the previous page`, async (t) => {
    const store = await open(t);
    await store.insertLogEntries([7, 1, 5, 2, 6, 3].map((second) => entry(second)));
    const read = (afterId: number): ReturnType<LogStore["readLogEntries"]> =>
      store.readLogEntries({ afterId, limit: 2, since: at(3) });
    const first = await read(0);
    const second = await read(first.at(-1)?.id ?? 0);
    assert.deepEqual(
      [...first, ...second].map(({ summary }) => summary),
      ["at 7", "at 5", "at 6", "at 3"],
    );
    assert.deepEqual(await read(second.at(-1)?.id ?? 0), []);
  });
}
