/**
 * Chaos testing: `npm run proof -- chaos kill flood` runs these cases, and without names all of them;
 * `--short` runs a small form of each. `--operation NAME`, which can be repeated, limits `nth-step` to
 * operations. The exit code is 1 if a check failed.
 */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import type { Case, Form } from "./case.ts";
import { clockJumps } from "./cases/clock-jumps.ts";
import { connections } from "./cases/connections.ts";
import { databaseLocked } from "./cases/database-locked.ts";
import { descriptors } from "./cases/descriptors.ts";
import { diskFull } from "./cases/disk-full.ts";
import { fairness } from "./cases/fairness.ts";
import { flood } from "./cases/flood.ts";
import { gates } from "./cases/gates.ts";
import { kill } from "./cases/kill.ts";
import { logFailing } from "./cases/log-failing.ts";
import { nthStep } from "./cases/nth-step.ts";
import { readOnly } from "./cases/read-only.ts";
import { shutdown } from "./cases/shutdown.ts";
import { steady } from "./cases/steady.ts";
import { openContext } from "./context.ts";
import { linesOf, type Outcome, tableOf, writePage } from "./report.ts";

const cases: readonly Case[] = [
  kill,
  gates,
  diskFull,
  readOnly,
  databaseLocked,
  logFailing,
  clockJumps,
  connections,
  descriptors,
  flood,
  fairness,
  shutdown,
  steady,
  nthStep,
];

/** A case that takes this many times its usual time hangs. */
const TIMEOUT_FACTOR = 4;

const { values, positionals } = parseArgs({
  options: { short: { type: "boolean" }, operation: { type: "string", multiple: true } },
  allowPositionals: true,
});
const form: Form = values.short === true ? "short" : "full";
const operations = values.operation?.map(operationNamed);
const isImplied = operations !== undefined && !positionals.includes(nthStep.name);
const named = isImplied ? [...positionals, nthStep.name] : positionals;
const chosen = named.length === 0 ? cases : named.map(caseNamed);
const interrupted = new AbortController();
const ending = Promise.withResolvers<never>();
ending.promise.catch(() => {});
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    interrupted.abort();
    ending.reject(new Error(`stopped by ${signal}`));
  });
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);
print(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model}`);
print(
  `${chosen.length} cases, ${form}: about ${durationOf(expectedOf(chosen))} on a quiet machine\n`,
);

const began = performance.now();
const outcomes = await runAll(chosen);
const took = (performance.now() - began) / 1_000;
print(tableOf(outcomes));
print(`\n${durationOf(took)} in total`);
const isWhole = form === "full" && named.length === 0 && !interrupted.signal.aborted;
if (isWhole) await writePage(outcomes, durationOf(took));
const failed = outcomes.flatMap(linesOf).filter((line) => line.startsWith("FAILED"));
for (const line of failed) print(line);
// Exits at once, so that everything that a failed case has left running ends too.
process.exit(failed.length > 0 ? 1 : 0);

/** In the short form, the cases that mostly wait run in parallel; the others run one by one. */
function groupsOf(all: readonly Case[]): readonly (readonly Case[])[] {
  if (form === "full") return all.map((one) => [one]);
  const waiting = all.filter(({ pace }) => pace === "waits");
  const measuring = all.filter(({ pace }) => pace === "measures").map((one) => [one]);
  return waiting.length === 0 ? measuring : [waiting, ...measuring];
}

function expectedOf(all: readonly Case[]): number {
  return groupsOf(all)
    .map((group) => Math.max(...group.map((one) => one.seconds[form])) + group.length - 1)
    .reduce((sum, seconds) => sum + seconds, 0);
}

async function runAll(all: readonly Case[]): Promise<readonly Outcome[]> {
  const found: Outcome[] = [];
  for (const group of groupsOf(all)) found.push(...(await Promise.all(group.map(outcomeOf))));
  return found;
}

function caseNamed(name: string): Case {
  const found = cases.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new Error(`unknown case ${name}; the cases are ${cases.map((one) => one.name).join(", ")}`);
}

function operationNamed(name: string): string {
  const known = nthStep.operations ?? [];
  if (known.includes(name)) return name;
  throw new Error(`unknown operation ${name}; the operations are ${known.join(", ")}`);
}

async function outcomeOf(one: Case): Promise<Outcome> {
  print(`${one.name}: ${one.about} (about ${durationOf(one.seconds[form])})`);
  const start = performance.now();
  await using context = openContext(
    (text) => print(`  ${one.name}: ${text}`),
    (operation) => operations?.includes(operation) ?? true,
  );
  try {
    const hangs = Promise.withResolvers<never>();
    const withinMs = TIMEOUT_FACTOR * one.seconds[form] * 1_000 + 30_000;
    const timer = setTimeout(
      () => hangs.reject(new Error(`not finished after ${withinMs} ms`)),
      withinMs,
    );
    await Promise.race([one.run(context, form), hangs.promise, ending.promise]).finally(() =>
      clearTimeout(timer),
    );
  } catch (error) {
    context.check("the case runs to its end", [
      error instanceof Error ? (error.stack ?? error.message) : String(error),
    ]);
  }
  const outcome = { name: one.name, about: one.about, findings: [...context.findings] };
  const lines = [
    `${one.name}, after ${durationOf((performance.now() - start) / 1_000)}:`,
    ...linesOf(outcome).map((line) => `  ${line}`),
  ];
  print(`${lines.join("\n")}\n`);
  return outcome;
}

function durationOf(inSeconds: number): string {
  return inSeconds < 120 ? `${Math.round(inSeconds)} s` : `${Math.round(inSeconds / 60)} min`;
}
