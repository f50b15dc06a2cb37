import assert from "node:assert/strict";
import { test } from "node:test";
import { createMeter } from "../../../src/gate/metrics/measures.ts";
import { Registry } from "../../../src/gate/metrics/registry.ts";
import { execute, refuse, stopRefusing } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { changeForm, OWNER } from "../../support/gate.ts";
import { readScrape, startMeasured } from "./measured-gate.ts";

const count = (operation: string): string =>
  `latchkey_store_operation_duration_seconds_count{operation="${operation}"}`;
const failures = (operation: string): string =>
  `latchkey_store_failures_total{operation="${operation}"}`;

test("counts each store operation and log entry under its name, with its time", async (t) => {
  const gate = await startMeasured(t);
  const session = await gate.setUp();
  await gate.send("/account/devices", { session });
  await gate.send("/account/history", { session });
  await gate.signIn();
  const { value: before } = await gate.scrape();
  assert.equal(before(failures("users.replaceHash")), 0, "also before the first call");
  const form = changeForm(OWNER.password, "another one");
  assert.equal((await gate.send("/account/password", { session, form })).status, 303);
  const { value } = await gate.becomes("latchkey_log_entries_written_total", 3);
  const users = ["users.any", "users.findActive", "users.findActiveByName", "users.insertFirst"];
  for (const operation of [...users, "sessions.insert", "sessions.listOf", "log.newest"]) {
    assert.ok((value(count(operation)) ?? 0) > 0, operation);
    assert.equal(value(failures(operation)), 0, operation);
  }
  assert.equal(value(count("users.insertFirst")), 1);
  assert.equal(value(count("users.findActiveByName")), 1);
  assert.equal(value(count("users.replaceHash")), 1);
  assert.ok((value(count("log.insert")) ?? 0) >= 1);
  const sum = 'latchkey_store_operation_duration_seconds_sum{operation="users.insertFirst"}';
  const took = value(sum) ?? 0;
  assert.ok(took > 0.000_01 && took < 10, `seconds, not milliseconds: ${took}`);
});

test("counts a failed operation as a failure, and records its time", async (t) => {
  const gate = await startMeasured(t);
  await gate.setUp();
  // Lets the gate see the account first: otherwise users.any would be the operation that fails.
  await gate.send("/setup");
  execute(gate.databaseFile, "ALTER TABLE latchkey_users RENAME TO hidden");
  assert.equal((await gate.signIn()).status, 500);
  const { value } = await gate.scrape();
  assert.equal(value(failures("users.findActiveByName")), 1);
  assert.equal(value(count("users.findActiveByName")), 1);
  assert.equal(value(failures("users.insertFirst")), 0);
  assert.equal(value('latchkey_sign_ins_total{outcome="rejected"}'), 0);
});

test("reports waiting log entries and counts each failed write", async (t) => {
  const gate = await startMeasured(t);
  await gate.setUp();
  await gate.becomes("latchkey_log_entries_written_total", 1);
  refuse(gate.databaseFile, "INSERT ON latchkey_log", "no room for entries");
  await gate.signIn();
  await gate.becomes("latchkey_log_entries_waiting", 1);
  // The number of retries before a scrape is not fixed.
  const tried = await eventually(async () => {
    const { value } = await gate.scrape();
    return value("latchkey_log_write_failures_total") ? value : undefined;
  });
  const batches = tried("latchkey_log_write_failures_total");
  assert.equal(tried(failures("log.insert")), batches);
  stopRefusing(gate.databaseFile);
  const after = await gate.becomes("latchkey_log_entries_written_total", 2);
  assert.equal(after.value("latchkey_log_entries_waiting"), 0);
  assert.equal(after.value("latchkey_log_entries_dropped_total"), 0);
});

/** When an entry is dropped: `test/audit/event-log.test.ts`. */
test("counts dropped entries", () => {
  const registry = new Registry();
  const { entries } = createMeter(registry, () => 0);
  for (let entry = 0; entry < 3; entry += 1) entries.countDropped();
  assert.equal(readScrape(registry.formatText()).value("latchkey_log_entries_dropped_total"), 3);
});
