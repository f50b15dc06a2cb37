import assert from "node:assert/strict";
import { test } from "node:test";
import { readCorpus } from "../../proof/fuzz/corpus.ts";
import { startCoverage } from "../../proof/fuzz/coverage.ts";
import { fuzz, problemOf } from "../../proof/fuzz/fuzz.ts";
import { loadParsers } from "../../proof/fuzz/parsers.ts";
import { createRandom } from "../../proof/simulation/random.ts";

const coverage = startCoverage("/test/proof/flawed-parser.ts");
const { flawed } = await import("./flawed-parser.ts");

test("the fuzzer finds an error behind conditions, by the code that its inputs reach", async () => {
  const isDone = (inputs: number): boolean => inputs > 10_000;
  const options = { random: createRandom(2), corpus: [], isDone };
  const { finding, kept } = await fuzz(flawed, { ...options, coverage });
  assert.match(finding?.problem ?? "", /found/);
  assert.ok(kept.length > 3);
  const blind = await fuzz(flawed, { ...options, coverage: { take: () => [] } });
  assert.equal(blind.finding, undefined);
});

test("the fuzzer reports an input that takes too long", async () => {
  assert.match((await problemOf({ ...flawed, maxMs: -1 }, "")) ?? "", /^took more than -1 ms$/);
});

test("every parser keeps its promises with the inputs that reached new code", async () => {
  for await (const [name, parser] of loadParsers()) {
    const inputs = [...parser.seeds, ...(await readCorpus(name))];
    assert.ok(inputs.length > 1, name);
    for (const input of inputs) assert.equal(await problemOf(parser, input), undefined, name);
  }
});
