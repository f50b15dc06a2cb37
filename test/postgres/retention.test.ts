import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewLogEntry } from "../../src/db/records.ts";
import type { StoreParts } from "../../src/db/store.ts";
import { startLogRetention } from "../../src/gate/log-retention.ts";
import { stores } from "../db/either.ts";
import { eventually } from "../support/eventually.ts";
import { startGate } from "../support/gate.ts";
import { recordingLog } from "../support/recording-log.ts";
import { logEntry, summariesIn } from "../support/store.ts";

const NOW = Date.UTC(2030, 0, 31);
const HOUR = 3_600_000;

const entriesAt = (ageMs: number, count: number, name: string): readonly NewLogEntry[] =>
  Array.from({ length: count }, (_, n) => logEntry(`${name} ${n}`, { at: new Date(NOW - ageMs) }));

for (const [name, connecting] of Object.entries(stores)) {
  test(`${name}: several instances remove old entries in steps`, async (t) => {
    const connect = await connecting(t);
    const store = await connect();
    await store.log.insert(entriesAt(HOUR + 1, 500, "old"));
    await store.log.insert(entriesAt(HOUR, 3, "kept"));
    await store.log.insert(entriesAt(50 * HOUR, 450, "old, though written late"));
    await store.log.insert(entriesAt(-HOUR, 2, "kept, of the future"));
    const steps: number[] = [];
    const log = recordingLog();
    const retentions = (await Promise.all([connect(), connect()])).map((one) => {
      const stepping: Pick<StoreParts["log"], "prune"> = {
        async prune(before, limit) {
          const removed = await one.log.prune(before, limit);
          steps.push(removed);
          return removed;
        },
      };
      return startLogRetention(stepping, HOUR, () => NOW, log);
    });
    const isOld = (summary: string): boolean => summary.startsWith("old");
    await eventually(async () => !(await summariesIn(store)).some(isOld) || undefined);
    await Promise.all(retentions.map((one) => one.stop()));
    assert.deepEqual(await summariesIn(store), [
      ...["kept 0", "kept 1", "kept 2"],
      ...["kept, of the future 0", "kept, of the future 1"],
    ]);
    assert.ok(Math.max(...steps) <= 200, steps.join());
    assert.deepEqual(log.lines, []);
  });

  test(`${name}: reuses no ID of removed entries`, async (t) => {
    const store = await (await connecting(t))();
    await store.log.insert([logEntry("one"), logEntry("two")]);
    const [, last] = await store.log.read({ afterId: 0, limit: 9 });
    assert.equal(await store.log.prune(new Date(NOW + HOUR), 100), 2);
    await store.log.insert([logEntry("new")]);
    const [next] = await store.log.read({ afterId: last?.id ?? 0, limit: 5 });
    assert.equal(next?.summary, "new", "visible to log --follow");
  });
}

test("only logs a failing store", async () => {
  const failing: Pick<StoreParts["log"], "prune"> = {
    prune: async () => {
      throw new Error("out of order");
    },
  };
  const log = recordingLog();
  const retention = startLogRetention(failing, HOUR, () => NOW, log);
  await eventually(() => log.lines.length > 0 || undefined);
  await retention.stop();
  const [line, ...others] = log.lines;
  assert.deepEqual([line?.level, line?.fields.reason, others], ["warn", "out of order", []]);
});

test("a gate removes entries older than LOG_RETENTION", async (t) => {
  const first = await startGate(t);
  await first.setUp();
  await first.logEntries(1);
  await first.stop();
  const gate = await startGate(t, { dataDir: first.dataDir, logRetentionMs: 1 });
  await eventually(async () => (await gate.logEntries(0)).length === 0 || undefined);
});
