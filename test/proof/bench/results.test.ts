import assert from "node:assert/strict";
import { test } from "node:test";
import type { Case } from "../../../proof/bench/cases.ts";
import { contestants, named, own } from "../../../proof/bench/contestants.ts";
import type { Sample } from "../../../proof/bench/measure.ts";
import { keep, textOf } from "../../../proof/bench/report.ts";
import { isDoubtful, type Report, type Result, timesBare } from "../../../proof/bench/results.ts";

const sample = (cpu: number, others: number): Sample => ({ cpu, rate: 1_000, busy: 1, others });

/** The CPU time of one case in each round, and what others used of a core. */
function resultOf(name: string, costs: readonly number[], others: readonly number[] = []): Result {
  const contestant = contestants.find((one) => one.name === name);
  assert.ok(contestant !== undefined, name);
  return {
    contestant,
    rounds: costs.map((cost, round) => ({
      samples: new Map<Case, Sample>([["warm", sample(cost, others[round] ?? 0)]]),
      memory: 100e6,
    })),
    starts: [{ took: 100, memory: 80e6 }],
    packages: 10,
    bytes: 1e6,
  };
}

const reportOf = (results: readonly Result[], failures: Report["failures"]): Report => ({
  results,
  failures,
  cases: ["warm"],
  amounts: { rounds: 3, sessions: 10_000, starts: 1, forMs: 1_000 },
});

const bare = resultOf("bare node:http", [10, 20, 30]);
const busy = resultOf("Latchkey on node:http", [11, 22, 39], [0, 0.2, 0]);

test("compares a guard with its bare layer per round, not by medians", () => {
  const own = resultOf("Latchkey on node:http", [11, 22, 39]);
  assert.equal(timesBare(own, [bare, own], "warm")?.median.toFixed(2), "1.10");
});

test("compares with no other HTTP layer", () => {
  const own = resultOf("Latchkey on Express", [11, 22, 39]);
  assert.equal(timesBare(own, [bare, own], "warm"), undefined);
});

test("marks a figure if other processes disturbed more than a quarter of its rounds", () => {
  assert.equal(isDoubtful(busy, "warm"), true);
  const calmer = resultOf("Latchkey on node:http", [1, 1, 1, 1], [0, 0.2, 0.09, 0]);
  assert.equal(isDoubtful(calmer, "warm"), false);
  const text = textOf(reportOf([bare, busy], new Map()));
  assert.match(text, /Latchkey on node:http \* /);
  assert.match(text, /NOT GOOD/);
});

test("does not publish a marked figure", async () => {
  await assert.rejects(keep(reportOf([bare, busy], new Map())), /unchanged/);
});

test("lists failures beside the figures", () => {
  const text = textOf(reportOf([bare], new Map([["Auth.js", "no answer"]])));
  assert.match(text, /bare node:http +20\.0 \(/);
  assert.match(text, /Auth\.js failed: no answer/);
});

test("chooses contestants by name, with the layers that they are compared with", () => {
  const names = named("EXPRESS", own).map(({ name }) => name);
  assert.deepEqual(names, ["bare Express", "Latchkey on Express"]);
  assert.ok(named("the gate", own).some(({ name }) => name === "bare node:http"));
  assert.deepEqual(named("unknown", own), []);
});
