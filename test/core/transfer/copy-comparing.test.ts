import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { type CopyProgress, type CopyTarget, copy } from "../../../src/core/transfer/copy.ts";
import type { SqliteStore } from "../../../src/stores/sqlite/store.ts";
import { logEntry, openStore } from "../../support/store.ts";

const ENTRIES = 9_500;

async function filledStore(t: TestContext): Promise<SqliteStore> {
  const store = await openStore(t);
  await store.importBatch({
    users: [],
    entries: Array.from({ length: ENTRIES }, (_, i) => ({ ...logEntry(`entry ${i}`), id: i + 1 })),
    from: await store.readContents(),
    to: { mark: "by hand", lastEntryId: ENTRIES },
    how: "add",
  });
  return store;
}

interface Watched {
  readonly store: SqliteStore;
  readonly reads: { begun: number; ended: number };
}

/** Takes several turns for what the other side does in one. */
function slow(store: SqliteStore): Watched {
  const reads = { begun: 0, ended: 0 };
  return {
    reads,
    store: {
      ...store,
      async readLogEntries(page) {
        reads.begun += 1;
        for (let left = 5; left > 0; left -= 1) await turn();
        const entries = await store.readLogEntries(page);
        reads.ended += 1;
        return entries;
      },
    },
  };
}

/** Nothing is being read, and nothing will be. */
async function assertAtRest({ reads }: Watched): Promise<void> {
  const { begun } = reads;
  assert.equal(reads.ended, begun, "a read was left behind");
  for (let left = 20; left > 0; left -= 1) await turn();
  assert.equal(reads.begun, begun, "it is read on");
}

const comparing = ({ step, entries }: CopyProgress): boolean =>
  step === "comparing" && entries.done > 0;

test("has stopped reading both sides when an interrupted comparison returns", async (t) => {
  const source = slow(await filledStore(t));
  const target = slow(await openStore(t));
  const stopping = new AbortController();
  const outcome = await copy(source.store, target.store, {
    name: "sqlite:/source",
    progress: (progress) => void (comparing(progress) && stopping.abort()),
    signal: stopping.signal,
  });
  assert.deepEqual(outcome, { kind: "interrupted" });
  await assertAtRest(source);
  await assertAtRest(target);
});

test("stops reading the source when the target fails during the comparison", async (t) => {
  const source = slow(await filledStore(t));
  const target = await openStore(t);
  const state = { fails: false };
  const failing: CopyTarget = {
    ...target,
    readLogEntries: async (page) => {
      if (state.fails) throw new Error("the connection is lost");
      return target.readLogEntries(page);
    },
  };
  const copying = copy(source.store, failing, {
    name: "sqlite:/source",
    progress: (progress) => {
      state.fails = comparing(progress);
    },
    signal: new AbortController().signal,
  });
  await assert.rejects(copying, /the connection is lost/);
  await assertAtRest(source);
});
