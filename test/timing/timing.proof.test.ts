import assert from "node:assert/strict";
import { test } from "node:test";
import { OWNER, type RunningGate, startGate } from "../support/gate.ts";

const PAIRS = 60;
const WARM_UP = 5;
const ATTEMPTS_PER_ADDRESS = 5;
const MAX_DIFFERENCE = 0.2;

/** Times a failed sign-in, from an address with attempts left. */
function failingSignIns(gate: RunningGate, network: number) {
  let attempts = 0;
  return async (username: string): Promise<number> => {
    const host = 1 + Math.floor(attempts / ATTEMPTS_PER_ADDRESS);
    attempts += 1;
    const from = `127.0.${network + Math.floor(host / 250)}.${1 + (host % 250)}`;
    const start = performance.now();
    const answer = await gate.signIn({ username, password: "a wrong password" }, { from });
    const passed = performance.now() - start;
    assert.deepEqual([answer.status, answer.location, answer.cookies], [303, "/login?error=1", []]);
    return passed;
  };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Measures in pairs, so that other load affects both kinds. */
async function mediansOfPairs(gate: RunningGate) {
  const signIn = failingSignIns(gate, 10);
  const unknown: number[] = [];
  const known: number[] = [];
  for (let pair = 0; pair < WARM_UP + PAIRS; pair += 1) {
    // Alternates the order, because the second of a pair may benefit from the first.
    const order = pair % 2 === 0 ? ["unknown", OWNER.username] : [OWNER.username, "unknown"];
    for (const username of order) {
      const passed = await signIn(username);
      if (pair >= WARM_UP) (username === "unknown" ? unknown : known).push(passed);
    }
  }
  return { unknown: median(unknown), known: median(known) };
}

test("an unknown username takes as long as a wrong password", async (t) => {
  const gate = await startGate(t, { logLevel: "error" });
  await gate.setUp();
  const { unknown, known } = await mediansOfPairs(gate);
  const apart = Math.abs(unknown - known) / Math.min(unknown, known);
  const times = `unknown ${unknown.toFixed(1)} ms, known ${known.toFixed(1)} ms`;
  assert.ok(apart < MAX_DIFFERENCE, times);
});
