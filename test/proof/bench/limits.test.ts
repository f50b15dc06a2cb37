import assert from "node:assert/strict";
import { test } from "node:test";
import { isBeyond, slowestOf, tableOfLimits } from "../../../proof/bench/limits.ts";
import { parseAnswers } from "../../../proof/bench/wrk.ts";

test("a figure is beyond its limit if it is larger, or was not measured", () => {
  const figure = { name: "/login, times bare", limit: 2 };
  assert.equal(isBeyond({ ...figure, value: 2 }), false);
  assert.equal(isBeyond({ ...figure, value: 2.01 }), true);
  assert.equal(isBeyond({ ...figure, value: Number.NaN }), true);
});

test("shows each figure with its limit, and how many are beyond", () => {
  const good = { name: "/login, times bare", value: 1.5, limit: 2 };
  const bad = { name: "start, ms", value: 180, limit: 110 };
  const text = tableOfLimits([good, bad]);
  assert.match(text, /\/login, times bare +1\.50 +2 +ok\n/);
  assert.match(text, /start, ms +180\.0 +110 +too much\n\n1 of 2 beyond/);
  assert.match(tableOfLimits([good]), /\n\nall within their limits$/);
});

test("takes the slowest page of the account, and one that was not measured before all", () => {
  const pages = [
    ["/account/keys", 5],
    ["/account/devices", 7],
    ["/account/profile", 6],
  ] as const;
  assert.deepEqual(
    [slowestOf(pages).name, slowestOf(pages).value],
    ["/account/devices, times bare", 7],
  );
  const lost = slowestOf([...pages, ["/account/access", Number.NaN]]);
  assert.deepEqual([lost.name, isBeyond(lost)], ["/account/access, times bare", true]);
  assert.equal(isBeyond(slowestOf([])), true);
});

const REPORT = `Running 1s test @ http://127.0.0.1:18999/
  1 threads and 32 connections
  31806 requests in 1.00s, 3.85MB read
`;

test("counts wrk's responses, and rejects a run with any failure or none", () => {
  assert.equal(parseAnswers(REPORT), 31_806);
  for (const failure of [
    "  Non-2xx or 3xx responses: 7\n",
    "  Socket errors: connect 0, read 3, write 0, timeout 0\n",
  ]) {
    assert.throws(() => parseAnswers(`${REPORT}${failure}`), /wrk reports failures/);
  }
  assert.throws(() => parseAnswers("  0 requests in 1.00s, 0B read\n"), /no responses/);
});
