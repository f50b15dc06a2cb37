import assert from "node:assert/strict";
import { test } from "node:test";
import { differencesOf } from "../../../src/core/transfer/copy-digest.ts";

const same = { count: 2, sum: 7n };

test("finds no difference between equal counts and sums", () => {
  const side = { users: same, entries: same };
  assert.deepEqual(differencesOf(side, side), []);
});

test("reports a different number or a different sum, of users and of entries", () => {
  const copied = { users: same, entries: same };
  const fewer = { count: 1, sum: 7n };
  const other = { count: 2, sum: 8n };
  assert.deepEqual(differencesOf(copied, { users: fewer, entries: same }), [
    { of: "users", copied: 2, found: 1 },
  ]);
  assert.deepEqual(differencesOf(copied, { users: same, entries: other }), [
    { of: "log entries", copied: 2, found: 2 },
  ]);
  assert.equal(differencesOf(copied, { users: other, entries: fewer }).length, 2);
});
