/**
 * Simulates gates, their store and their clients with the faults that a seed chooses, and checks what
 * Latchkey promises. `npm run proof -- simulation --seeds 1000`; `--first 5001` begins there;
 * `--seed 17` shows one again; `--mistakes` puts errors back, and fails unless each is found.
 */
import { parseArgs } from "node:util";
import { type Mistake, mistakes } from "./mistakes.ts";
import { shrink } from "./shrink.ts";
import { allEvents, type Report, simulate } from "./simulate.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    first: { type: "string", default: "1" },
    seed: { type: "string" },
    mistakes: { type: "boolean", default: false },
  },
});

/** The first of these seeds that breaks a promise, or the last report. */
async function firstFailure(
  seeds: readonly number[],
  mistake?: Mistake,
): Promise<{ readonly steps: number; readonly report: Report | undefined }> {
  let steps = 0;
  for (const seed of seeds) {
    const report = await simulate(seed, { mistake });
    steps += report.steps;
    if (report.violation !== undefined) return { steps, report };
  }
  return { steps, report: undefined };
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Error(`"${text}" is not a whole number above 0`);
}

const show = (text: string): boolean => process.stdout.write(`${text}\n`);

/** Also runs each seed that finds one again, which must be the same simulation. */
async function findMistakes(seeds: readonly number[]): Promise<void> {
  for (const [name, mistake] of Object.entries(mistakes)) {
    const { report } = await firstFailure(seeds, mistake);
    const again = report && (await simulate(report.seed, { mistake }));
    const isSame = again?.trace.join() === report?.trace.join();
    const finding = report === undefined ? "not found" : `seed ${report.seed}, ${report.violation}`;
    show(`${name}: ${finding}${isSame ? "" : " (not the same again)"}`);
    if (report === undefined || !isSame) process.exitCode = 1;
  }
}

/** The same seed with fewer events, in which the same kind of promise is not kept. */
async function shortestOf(found: Report): Promise<Report> {
  const kindOf = ({ violation }: Report): string | undefined => violation?.replace(/\d+/g, "");
  let shortest = found;
  await shrink(allEvents, async (events) => {
    const report = await simulate(found.seed, { events });
    const isSame = kindOf(report) === kindOf(found);
    if (isSame) shortest = report;
    return isSame;
  });
  return shortest;
}

async function checkPromises(seeds: readonly number[]): Promise<void> {
  const startedAt = performance.now();
  const { steps, report } = await firstFailure(seeds);
  if (report === undefined) {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    show(`${seeds.length} seeds, ${steps} steps in ${seconds} s: every promise was kept`);
    return;
  }
  const shortest = await shortestOf(report);
  for (const line of shortest.trace) show(line);
  show(`seed ${report.seed}: ${report.violation}, after ${report.steps} steps`);
  show(`The shortest way to it, shown above: ${shortest.violation}, after ${shortest.steps}`);
  show(`To run it again: npm run proof -- simulation --seed ${report.seed}`);
  process.exitCode = 1;
}

if (values.seed !== undefined) {
  const { trace, violation } = await simulate(wholeNumber(values.seed));
  for (const line of trace) show(line);
  show(violation ?? "every promise was kept");
  if (violation !== undefined) process.exitCode = 1;
} else {
  const first = wholeNumber(values.first);
  const seeds = Array.from({ length: wholeNumber(values.seeds) }, (_, index) => index + first);
  await (values.mistakes ? findMistakes : checkPromises)(seeds);
}
