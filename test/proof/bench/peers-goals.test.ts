import assert from "node:assert/strict";
import { test } from "node:test";
import { contestants } from "../../../proof/bench/peers-contestants.ts";
import { goalsOf } from "../../../proof/bench/peers-goals.ts";
import type { Case, Sample } from "../../../proof/bench/peers-measure.ts";
import { markdownOf } from "../../../proof/bench/peers-report.ts";
import type { Result } from "../../../proof/bench/peers-results.ts";

const sample = (cpu: number): Sample => ({ cpu, rate: 1_000, p50: 1, p99: 2 });

/** The CPU time of one case in each round. */
function resultOf(name: string, costs: readonly number[], more: Partial<Result> = {}): Result {
  const contestant = contestants.find((one) => one.name === name);
  assert.ok(contestant !== undefined, name);
  return {
    contestant,
    rounds: costs.map((cost) => ({
      samples: new Map<Case, Sample>([["warm", sample(cost)]]),
      memory: 100e6,
    })),
    starts: [{ took: 100, memory: 80e6 }],
    packages: 10,
    bytes: 1e6,
    ...more,
  };
}

function verdict(results: readonly Result[], about: RegExp): readonly string[] {
  return goalsOf(results)
    .filter(({ goal }) => about.test(goal))
    .flatMap(({ findings }) => findings.map((one) => `${one?.found}: ${one?.met}`));
}

const bare = resultOf("bare node:http", [10, 20, 30]);

test("compares a guard with bare hello per round, not by medians", () => {
  const own = resultOf("Latchkey on node:http", [11, 22, 39]);
  assert.deepEqual(verdict([bare, own], /bare hello/), ["1.10: met"]);
});

for (const [costs, expected] of [
  [[11.5, 23, 34.5], "1.15: met"],
  [[11.6, 23.2, 34.8], "1.16: missed"],
] as const) {
  test(`a guard that costs ${expected.slice(0, 4)} times bare hello has its goal ${expected.slice(6)}`, () => {
    const own = resultOf("Latchkey on node:http", costs);
    assert.deepEqual(verdict([bare, own], /bare hello/), [expected]);
  });
}

test("compares with the cheapest peer", () => {
  const results = [
    resultOf("Latchkey on node:http", [10]),
    resultOf("better-auth", [900]),
    resultOf("passport, memory", [49]),
    resultOf("iron-session", [300]),
  ];
  assert.deepEqual(verdict(results, /guarded request is/), ["4.9 times, passport, memory: missed"]);
});

test("compares guards on different HTTP layers by their added cost", () => {
  const results = [
    resultOf("bare node:http", [20]),
    resultOf("bare Express", [40]),
    resultOf("Latchkey on node:http", [22]),
    resultOf("passport, memory", [49]),
    resultOf("iron-session", [300]),
  ];
  assert.deepEqual(verdict(results, /adds/), ["2.0 µs against 9.0 µs, passport, memory: missed"]);
});

test("reports bytes and packages separately", () => {
  const results = [
    resultOf("Latchkey on node:http", [1], { packages: 35, bytes: 6e6 }),
    resultOf("better-auth", [1], { packages: 23, bytes: 25e6 }),
  ];
  assert.deepEqual(verdict(results, /install|packages/i), [
    "6.0 MB against 25.0 MB: met",
    "35 against 23: missed",
  ]);
});

test("lists failures beside the figures", () => {
  const text = markdownOf({
    results: [bare],
    failures: new Map([["Auth.js", "no answer"]]),
    run: { rounds: 3, sessions: 10_000, starts: 1 },
  });
  assert.match(text, /\| bare node:http \| 20\.0 \(/);
  assert.match(text, /Auth\.js failed: no answer/);
});

test("shows a missing case as a dash", () => {
  const text = markdownOf({
    results: [resultOf("iron-session", [300])],
    failures: new Map(),
    run: { rounds: 1, sessions: 10_000, starts: 1 },
  });
  assert.match(
    text,
    /### Sign-in, the right password\n\n.*\n.*\n\| iron-session \| – \| – \| – \| – \|/,
  );
});
