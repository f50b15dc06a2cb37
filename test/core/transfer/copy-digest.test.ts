import assert from "node:assert/strict";
import { test } from "node:test";
import { differencesOf } from "../../../src/core/transfer/copy-digest.ts";

const same = { count: 2, sum: 7n };

test("finds no difference between equal counts and sums", () => {
  const side = { users: same, entries: same };
  assert.deepEqual(differencesOf(side, side), []);
});

test("reports a different number or a different sum, of users and of entries", () => {
  const source = { users: same, entries: same };
  const fewer = { count: 1, sum: 7n };
  const other = { count: 2, sum: 8n };
  assert.deepEqual(differencesOf(source, { users: fewer, entries: same }), [
    { of: "users", inSource: 2, inTarget: 1 },
  ]);
  assert.deepEqual(differencesOf(source, { users: same, entries: other }), [
    { of: "log entries", inSource: 2, inTarget: 2 },
  ]);
  assert.equal(differencesOf(source, { users: other, entries: fewer }).length, 2);
});
