import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogPruner, LogReader } from "../../src/core/log/log-reader.ts";
import type { NewLogEntry } from "../../src/core/store.ts";
import { startLogRetention } from "../../src/gate/log-retention.ts";
import { problems, settled } from "../gate/settings/settings-reading.ts";
import { stores } from "../stores/either.ts";
import { eventually } from "../support/eventually.ts";
import { startGate } from "../support/gate.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { recordingLog } from "../support/recording-log.ts";
import { logEntry } from "../support/store.ts";

const server = await sharedPostgres();

const NOW = Date.UTC(2030, 0, 31);
const HOUR = 3_600_000;

const entriesAt = (ageMs: number, count: number, name: string): readonly NewLogEntry[] =>
  Array.from({ length: count }, (_, n) => logEntry(`${name} ${n}`, { at: new Date(NOW - ageMs) }));

async function summariesIn(store: LogReader): Promise<readonly string[]> {
  const entries = await store.readLogEntries({ afterId: 0, limit: 5_000 });
  return entries.map(({ summary }) => summary);
}

const onlyKept = async (store: LogReader): Promise<true | undefined> =>
  (await summariesIn(store)).every((summary) => !summary.startsWith("old")) || undefined;

test("LOG_RETENTION is a number of hours or days, without a leading zero", () => {
  for (const [text, ms] of [
    ["1h", HOUR],
    ["12h", 12 * HOUR],
    ["400d", 400 * 24 * HOUR],
  ] as const) {
    assert.equal(settled({ LOG_RETENTION: text }).logRetentionMs, ms);
  }
  for (const text of ["d", "12", "1w", "1D", "1000000d", "012h"]) {
    assert.deepEqual(problems({ LOG_RETENTION: text }), [
      `LOG_RETENTION="${text}" is invalid: expected a time such as 400d or 12h`,
    ]);
  }
});

for (const [name, connecting] of Object.entries(stores)) {
  test(`${name}: removes entries older than the retention time in steps, and keeps the others`, async (t) => {
    const store = await (await connecting(t))();
    await store.insertLogEntries(entriesAt(HOUR + 1, 500, "old"));
    await store.insertLogEntries(entriesAt(HOUR, 3, "kept"));
    await store.insertLogEntries(entriesAt(50 * HOUR, 150, "old, though written late"));
    await store.insertLogEntries(entriesAt(-HOUR, 2, "kept, of the future"));
    const steps: number[] = [];
    const stepping: Pick<LogPruner, "pruneLogEntries"> = {
      async pruneLogEntries(before, limit) {
        const removed = await store.pruneLogEntries(before, limit);
        steps.push(removed);
        return removed;
      },
    };
    const log = recordingLog();
    const retention = startLogRetention(stepping, HOUR, () => NOW, log);
    await eventually(() => onlyKept(store));
    await retention.stop();
    assert.deepEqual(await summariesIn(store), [
      ...["kept 0", "kept 1", "kept 2"],
      ...["kept, of the future 0", "kept, of the future 1"],
    ]);
    assert.equal(
      steps.reduce((sum, step) => sum + step, 0),
      650,
    );
    assert.ok(Math.max(...steps) <= 200, steps.join());
    assert.deepEqual(log.lines, []);
  });

  test(`${name}: removes the oldest entries of one type and keeps the newest`, async (t) => {
    const store = await (await connecting(t))();
    for (let n = 0; n < 6; n += 1) {
      await store.insertLogEntries([
        logEntry(`denial ${n}`, { type: "signin_rate_limited" }),
        logEntry(`sign-in ${n}`, { type: "signin" }),
      ]);
    }
    const steps: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      steps.push(await store.pruneLogEntriesOf("signin_rate_limited", 3, 2));
    }
    assert.deepEqual(steps, [2, 1, 0]);
    const summaries = await summariesIn(store);
    assert.deepEqual(
      summaries.filter((summary) => summary.startsWith("denial")),
      ["denial 3", "denial 4", "denial 5"],
    );
    assert.equal(summaries.length, 9);
    assert.equal(await store.pruneLogEntriesOf("signin_rate_limited", 4, 2), 0);
    assert.equal(await store.pruneLogEntriesOf("signup", 3, 2), 0);
  });

  test(`${name}: several instances can remove entries concurrently`, async (t) => {
    const connect = await connecting(t);
    const store = await connect();
    for (let n = 0; n < 3; n += 1) await store.insertLogEntries(entriesAt(2 * HOUR, 500, "old"));
    await store.insertLogEntries(entriesAt(0, 3, "kept"));
    const log = recordingLog();
    const several = await Promise.all(Array.from({ length: 4 }, connect));
    const retentions = several.map((one) => startLogRetention(one, HOUR, () => NOW, log));
    await eventually(() => onlyKept(store));
    await Promise.all(retentions.map((one) => one.stop()));
    assert.deepEqual(await summariesIn(store), ["kept 0", "kept 1", "kept 2"]);
    assert.deepEqual(log.lines, []);
  });

  test(`${name}: continues the IDs after all entries were removed`, async (t) => {
    const connect = await connecting(t);
    const store = await connect();
    await store.insertLogEntries(entriesAt(2 * HOUR, 5, "old"));
    const [last] = (await store.readLogEntries({ afterId: 0, limit: 5 })).slice(-1);
    assert.equal(await store.pruneLogEntries(new Date(NOW), 100), 5);
    const later = await connect();
    await later.insertLogEntries(entriesAt(0, 1, "new"));
    const [first] = await later.readLogEntries({ afterId: last?.id ?? 0, limit: 5 });
    assert.equal(first?.summary, "new 0", "visible to log --follow");
  });

  test(`${name}: removes nothing after it was stopped`, async (t) => {
    const store = await (await connecting(t))();
    for (let n = 0; n < 4; n += 1) await store.insertLogEntries(entriesAt(2 * HOUR, 500, "old"));
    const retention = startLogRetention(store, HOUR, () => NOW, recordingLog());
    await eventually(async () => (await summariesIn(store)).length < 2_000 || undefined);
    await retention.stop();
    const left = await summariesIn(store);
    assert.ok(left.length > 0, "stopped before it had removed all");
    // The steps are short, so another one would show in these reads.
    for (let reads = 0; reads < 20; reads += 1) assert.deepEqual(await summariesIn(store), left);
  });

  test(`${name}: the maximum retention time removes nothing`, async (t) => {
    const store = await (await connecting(t))();
    await store.insertLogEntries([logEntry("of 1970", { at: new Date(0) })]);
    const { logRetentionMs } = settled({ LOG_RETENTION: "999999d" });
    assert.ok(logRetentionMs !== undefined);
    assert.equal(await store.pruneLogEntries(new Date(Date.now() - logRetentionMs), 10), 0);
  });
}

test("only logs a failing store", async () => {
  const failing: Pick<LogPruner, "pruneLogEntries"> = {
    pruneLogEntries: async () => {
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

for (const kind of ["SQLite", "PostgreSQL"] as const) {
  test(`a gate with ${kind} removes entries older than LOG_RETENTION, and stops`, async (t) => {
    const databaseUrl = kind === "SQLite" ? undefined : await server.newDatabase();
    const first = await startGate(t, { databaseUrl });
    await first.setUp();
    await first.logEntries(1);
    await first.stop();
    const { dataDir } = first;
    const gate = await startGate(t, { databaseUrl, dataDir, logRetentionMs: 1 });
    await eventually(async () => (await gate.logEntries(0)).length === 0 || undefined);
    await gate.stop();
  });
}
