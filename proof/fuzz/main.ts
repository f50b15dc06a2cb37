/**
 * Feeds mutated inputs to every parser of untrusted input, keeps those that reach new code, and
 * checks what must hold. `npm run proof -- fuzz --seconds 60` takes that long for each;
 * `--parser NAME` selects one; `--seed N` repeats the inputs; `--keep` stores those that reached new blocks.
 */
import { parseArgs } from "node:util";
import { createRandom } from "../simulation/random.ts";
import { readCorpus, writeCorpus } from "./corpus.ts";
import { startCoverage } from "./coverage.ts";
import { fuzz } from "./fuzz.ts";
import { loadParsers } from "./parsers.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    seed: { type: "string", default: String(Math.floor(Date.now() / 1_000)) },
    parser: { type: "string" },
    keep: { type: "boolean", default: false },
  },
});

const show = (text: string): boolean => process.stdout.write(`${text}\n`);

const seconds = Number(values.seconds);
if (!(seconds > 0)) throw new Error(`--seconds must be a number above 0, not ${values.seconds}`);

const coverage = startCoverage("/src/");
let total = 0;
show(`seed ${values.seed}`);
for await (const [name, parser] of loadParsers()) {
  if (values.parser !== undefined && values.parser !== name) continue;
  const until = performance.now() + seconds * 1_000;
  const { inputs, blocks, corpus, kept, finding } = await fuzz(parser, {
    random: createRandom(Number(values.seed)),
    corpus: await readCorpus(name),
    coverage,
    isDone: () => performance.now() > until,
  });
  total += inputs;
  show(
    `${name}: ${inputs} inputs, ${corpus.length} ways through ${blocks} blocks, ${kept.length} kept`,
  );
  if (values.keep) await writeCorpus(name, kept);
  if (finding === undefined) continue;
  show(`${JSON.stringify(finding.input)}\n${finding.problem}`);
  process.exitCode = 1;
}
show(`${total} inputs${process.exitCode === 1 ? "" : ": none broke what must hold"}`);
