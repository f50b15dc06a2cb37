import assert from "node:assert/strict";
import { test } from "node:test";
import { contestants } from "../../../proof/bench/contestants.ts";
import type { Sample } from "../../../proof/bench/measure.ts";
import { keep, textOf } from "../../../proof/bench/report.ts";
import type { Report, Result } from "../../../proof/bench/results.ts";

const sample = (cpu: number, others: number): Sample => ({ cpu, rate: 1_000, busy: 1, others });

/** The CPU time of one case in each round, and what others used of a core. */
function resultOf(name: string, costs: readonly number[], others: readonly number[] = []): Result {
  const contestant = contestants.find((one) => one.name === name);
  assert.ok(contestant !== undefined, name);
  return {
    contestant,
    rounds: costs.map((cost, round) => ({
      samples: new Map([["warm", sample(cost, others[round] ?? 0)]]),
      memory: 100e6,
    })),
    starts: [{ took: 100, memory: 80e6 }],
    ...{ packages: 10, bytes: 1e6 },
  };
}

const reportOf = (...results: readonly Result[]): Report => ({
  results,
  failures: new Map([["Auth.js", "no answer"]]),
  cases: ["warm"],
  amounts: { rounds: 3, sessions: 10_000, starts: 1, forMs: 1_000 },
});

const bare = resultOf("bare node:http", [10, 20, 30]);

test("shows failures, and does not publish a disturbed figure", async () => {
  const calm = textOf(reportOf(bare, resultOf("Latchkey on node:http", [1, 1, 1], [0, 0.09, 0])));
  assert.match(calm, /bare node:http +20\.0 \(/);
  assert.match(calm, /Auth\.js failed: no answer/);
  assert.doesNotMatch(calm, /NOT GOOD/);
  const busy = reportOf(bare, resultOf("Latchkey on node:http", [11, 22, 39], [0, 0.2, 0]));
  assert.match(textOf(busy), /Latchkey on node:http \* [\s\S]*NOT GOOD/);
  await assert.rejects(keep(busy), /unchanged/);
});
