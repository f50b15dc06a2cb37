/**
 * Breaks the gate on purpose, and looks whether it keeps its promises: `npm run chaos`, some of the
 * cases by their names, or with `--short` all of them in a small form. Ends with 1 if one was broken.
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
import { kill } from "./cases/kill.ts";
import { logFailing } from "./cases/log-failing.ts";
import { readOnly } from "./cases/read-only.ts";
import { shutdown } from "./cases/shutdown.ts";
import { steady } from "./cases/steady.ts";
import { keep, linesOf, type Outcome, tableOf } from "./report.ts";
import { openStage } from "./stage.ts";

const cases: readonly Case[] = [
  kill,
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
];

/** A case that takes so many times as long as it should hangs. */
const PATIENCE = 4;

const { values, positionals } = parseArgs({
  options: { short: { type: "boolean" } },
  allowPositionals: true,
});
const form: Form = values.short === true ? "short" : "full";
const chosen = positionals.length === 0 ? cases : positionals.map(caseNamed);
const interrupted = new AbortController();
const ending = Promise.withResolvers<never>();
ending.promise.catch(() => {});
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    interrupted.abort();
    ending.reject(new Error(`ended by ${signal}`));
  });
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);
say(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model}`);
say(
  `${chosen.length} cases, ${form}: about ${durationOf(expectedOf(chosen))} on a quiet machine\n`,
);

const began = performance.now();
const outcomes = await runAll(chosen);
const took = (performance.now() - began) / 1_000;
say(tableOf(outcomes));
say(`\n${durationOf(took)} in all`);
const isWhole = form === "full" && positionals.length === 0 && !interrupted.signal.aborted;
if (isWhole) await keep(outcomes, durationOf(took));
const broken = outcomes.flatMap(linesOf).filter((line) => line.startsWith("BROKEN"));
for (const line of broken) say(line);
// At once: whatever a broken case has left running ends with this process.
process.exit(broken.length > 0 ? 1 : 0);

/** What mostly waits side by side in the small form, everything else one after the other. */
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
  throw new Error(`no ${name} here, only ${cases.map((one) => one.name).join(", ")}`);
}

async function outcomeOf(one: Case): Promise<Outcome> {
  say(`${one.name}: ${one.about} (about ${durationOf(one.seconds[form])})`);
  const start = performance.now();
  await using stage = openStage((text) => say(`  ${one.name}: ${text}`));
  try {
    const hangs = Promise.withResolvers<never>();
    const withinMs = PATIENCE * one.seconds[form] * 1_000 + 30_000;
    const timer = setTimeout(
      () => hangs.reject(new Error(`not over after ${withinMs} ms`)),
      withinMs,
    );
    await Promise.race([one.run(stage, form), hangs.promise, ending.promise]).finally(() =>
      clearTimeout(timer),
    );
  } catch (error) {
    stage.promise("the case can be carried out", [
      error instanceof Error ? (error.stack ?? error.message) : String(error),
    ]);
  }
  const outcome = { name: one.name, about: one.about, findings: [...stage.findings] };
  const lines = [
    `${one.name}, after ${durationOf((performance.now() - start) / 1_000)}:`,
    ...linesOf(outcome).map((line) => `  ${line}`),
  ];
  say(`${lines.join("\n")}\n`);
  return outcome;
}

function durationOf(inSeconds: number): string {
  return inSeconds < 120 ? `${Math.round(inSeconds)} s` : `${Math.round(inSeconds / 60)} min`;
}
