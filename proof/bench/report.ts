import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { bars } from "./bars.ts";
import { type Case, isSignIn, titles } from "./cases.ts";
import { asMarkdown, type Rows, type Spread, table, writeBetween } from "./figures.ts";
import { describeMachine } from "./machine.ts";
import { nginxVersion } from "./nginx.ts";
import {
  doubtfulIn,
  figureOf,
  isDoubtful,
  memoryAfter,
  memoryIdle,
  type Report,
  type Result,
  startTime,
  timesBare,
} from "./results.ts";

const PAGE = fileURLToPath(new URL("../../docs/performance.md", import.meta.url));
const PICTURE = fileURLToPath(new URL("../../docs/performance.svg", import.meta.url));
const NONE = "–";

/** One table per case, as text. */
export function textOf(report: Report): string {
  const tables = tablesOf(report).map(({ title, rows }) => `${title}\n${table(rows)}`);
  return [...tables, ...remarksOn(report)].join("\n\n");
}

/** Writes the picture and the summary of the page, unless the machine was busy. */
export async function keep(report: Report): Promise<void> {
  if (doubtfulIn(report).length > 0) {
    throw new Error("docs/performance.md is unchanged, because the machine was busy");
  }
  await writeFile(PICTURE, pictureOf(report));
  await writeBetween(PAGE, "summary", asMarkdown(summaryRows(report)));
  await writeBetween(PAGE, "conditions", conditionsOf(report));
}

interface Titled {
  readonly title: string;
  readonly rows: Rows;
}

function tablesOf(report: Report): readonly Titled[] {
  const all = [
    ...report.cases.map((name) => ({ title: titles[name], rows: caseRows(report, name) })),
    { title: "Start, memory, size", rows: footprintRows(report) },
  ];
  return all.filter(({ rows }) => rows.length > 1);
}

function remarksOn(report: Report): readonly string[] {
  const failed = failuresOf(report);
  if (doubtfulIn(report).length === 0) return failed;
  const remark =
    "* NOT GOOD: other programs used more than a tenth of a core. Repeat it on a quiet machine.";
  return [...failed, remark];
}

const failuresOf = ({ failures }: Report): readonly string[] =>
  [...failures].map(([name, reason]) => `${name} failed: ${reason}`);

function conditionsOf(report: Report): string {
  const { rounds, starts, forMs } = report.amounts;
  const day = new Date().toISOString().slice(0, 10);
  const run = `\`npm run bench -- peers\` on ${day}: ${describeMachine()}, ${nginxVersion() ?? "without nginx"}. Medians of ${rounds} rounds of ${forMs / 1_000} s each, and of ${starts} starts.`;
  return [run, ...failuresOf(report)].join("\n\n");
}

const named = (result: Result, name: Case): string =>
  `${result.contestant.name}${isDoubtful(result, name) ? " *" : ""}`;

/** The share of the core shows whether the server or the load was the limit. */
function caseRows({ results }: Report, name: Case): Rows {
  const factor = isSignIn(name) ? 1e-3 : 1;
  const rows = results
    .filter((result) => figureOf(result, name, "cpu") !== undefined)
    .map((result) => [
      named(result, name),
      cell(figureOf(result, name, "cpu"), factor),
      median(timesBare(result, results, name)),
      median(figureOf(result, name, "rate")),
      percent(figureOf(result, name, "busy")),
      percent(figureOf(result, name, "others")),
    ]);
  const unit = isSignIn(name) ? "ms" : "µs";
  const head = ["", `CPU per request, ${unit}`, "times bare", "requests per second"];
  return [[...head, "of its core", "others"], ...rows];
}

function footprintRows({ results }: Report): Rows {
  const started = results.filter(({ starts }) => starts.length > 0);
  const rows = started.map((result) => [
    result.contestant.name,
    cell(startTime(result), 1),
    cell(memoryIdle(result), 1e-6),
    cell(memoryAfter(result), 1e-6),
    ...sizeOf(result),
  ]);
  const head = ["", "start to first response, ms", "memory idle, MB", "after many sessions, MB"];
  return [[...head, "packages", "installed, MB"], ...rows];
}

/** nginx is not installed by npm, and a checkout is not an installation. */
const sizeOf = ({ contestant, packages, bytes }: Result): readonly string[] =>
  contestant.on === "nginx" || bytes === 0
    ? [NONE, NONE]
    : [String(packages), (bytes / 1e6).toFixed(1)];

/** The table of the page. All figures are in the text that the command prints. */
function summaryRows({ results }: Report): Rows {
  const rows = results.map((result) => [
    result.contestant.kind === "latchkey"
      ? `**${result.contestant.name}**`
      : result.contestant.name,
    median(figureOf(result, "warm", "cpu")),
    median(timesBare(result, results, "warm")),
    median(figureOf(result, "cold", "cpu")),
    median(figureOf(result, "right", "cpu"), 1e-3),
    median(memoryIdle(result), 1e-6),
    median(startTime(result)),
    sizeOf(result)[1] ?? NONE,
  ]);
  const head = ["", "guarded page, µs of CPU", "times bare", "first request, µs"];
  return [[...head, "sign-in, ms", "memory, MB", "start, ms", "installed, MB"], ...rows];
}

const cell = (spread: Spread | undefined, factor: number): string =>
  spread === undefined
    ? NONE
    : `${shown(spread.median * factor)} (${shown(spread.low * factor)} to ${shown(spread.high * factor)})`;

const median = (spread: Spread | undefined, factor: number = 1): string =>
  spread === undefined ? NONE : shown(spread.median * factor);

const percent = (spread: Spread | undefined): string =>
  spread === undefined ? NONE : `${(spread.median * 100).toFixed(0)} %`;

/** Three significant digits. */
const shown = (value: number): string =>
  value.toLocaleString("en", {
    minimumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0,
    maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0,
  });

function pictureOf({ results }: Report): string {
  return bars(
    "CPU per guarded request, µs",
    results.flatMap((result) => {
      const spread = figureOf(result, "warm", "cpu");
      const { name, kind, on } = result.contestant;
      return spread === undefined ? [] : [{ name, kind, group: on, spread }];
    }),
  );
}
