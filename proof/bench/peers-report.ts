import { readFile, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { type Chart, charts } from "./bars.ts";
import { type Spread, table } from "./figures.ts";
import { goalsOf, latchkeysIn } from "./peers-goals.ts";
import type { Case } from "./peers-measure.ts";
import { figureOf, memoryAfter, memoryIdle, type Result, startTime } from "./peers-results.ts";

const PAGE = fileURLToPath(new URL("../../docs/performance.md", import.meta.url));
const PICTURE = fileURLToPath(new URL("../../docs/performance.svg", import.meta.url));

export interface Run {
  readonly rounds: number;
  readonly sessions: number;
  readonly starts: number;
}

export interface Report {
  readonly results: readonly Result[];
  /** By contestant name. */
  readonly failures: ReadonlyMap<string, string>;
  readonly run: Run;
}

interface Section {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}

/** Writes the picture, and the figures between the two comments on the page. */
export async function keep(report: Report): Promise<void> {
  await writeFile(PICTURE, charts(chartsOf(report)));
  const page = await readFile(PAGE, "utf8");
  const marked = /(<!-- peers: begin -->\n).*(<!-- peers: end -->)/s;
  if (!marked.test(page))
    throw new Error("docs/performance.md lacks the comments that mark the figures");
  const text = `${measuredOn(report.run)}\n\n${markdownOf(report)}\n`;
  await writeFile(
    PAGE,
    page.replace(marked, (_, begin, end) => `${begin}${text}${end}`),
  );
}

export function textOf(report: Report): string {
  return [
    ...sectionsOf(report).map(({ title, rows }) => `${title}\n${table(rows)}`),
    ...failuresOf(report),
  ].join("\n\n");
}

export function markdownOf(report: Report): string {
  return [
    ...sectionsOf(report).map(({ title, rows }) => `### ${title}\n\n${asMarkdown(rows)}`),
    ...failuresOf(report),
  ].join("\n\n");
}

function measuredOn({ rounds, starts }: Run): string {
  const day = new Date().toISOString().slice(0, 10);
  const machine = `${cpus().length} × ${cpus()[0]?.model.replaceAll("(R)", "")}`;
  return `\`npm run bench -- peers\` on ${day}: ${machine}, Node ${process.versions.node}, ${rounds} rounds, ${starts} starts. Medians over the rounds, with the middle half in brackets.`;
}

const failuresOf = ({ failures }: Report): readonly string[] =>
  [...failures].map(([name, reason]) => `${name} failed: ${reason}`);

function sectionsOf(report: Report): readonly Section[] {
  const { results, run } = report;
  const sessions = run.sessions.toLocaleString("en");
  const cases: readonly (readonly [Case, string])[] = [
    ["warm", "A guarded page, one session"],
    ["many", `A guarded page, ${sessions} sessions in turn`],
    ["right", "Sign-in, the right password"],
    ["wrong", "Sign-in, a wrong password"],
    ["login", "The sign-in page"],
    ["own", "The account page, signed in"],
  ];
  return [
    { title: "Goals", rows: goalRows(results) },
    ...cases.map(([name, title]) => ({ title, rows: caseRows(results, name) })),
    { title: "Start, memory, size", rows: footprintRows(results, sessions) },
  ];
}

function goalRows(results: readonly Result[]): Section["rows"] {
  const names = latchkeysIn(results).map(({ contestant }) => contestant.name);
  const goals = goalsOf(results).map(({ goal, findings }) => [
    goal,
    ...findings.map((one) => (one === undefined ? NONE : `${one.met}: ${one.found}`)),
  ]);
  return [["", ...names], ...goals];
}

function caseRows(results: readonly Result[], name: Case): Section["rows"] {
  const isSignIn = name === "right" || name === "wrong";
  const rows = results
    .filter((result) => isIn(result, name))
    .map((result) => [
      result.contestant.name,
      cell(figureOf(result, name, "cpu"), isSignIn ? 1e-3 : 1),
      median(figureOf(result, name, "rate")),
      median(figureOf(result, name, "p50")),
      median(figureOf(result, name, "p99")),
    ]);
  const unit = isSignIn ? "ms" : "µs";
  return [["", `CPU per request, ${unit}`, "requests per second", "p50, ms", "p99, ms"], ...rows];
}

/** Page tables include the bare HTTP layers; only Latchkey has an account page. */
function isIn({ contestant: { kind } }: Result, name: Case): boolean {
  if (name === "warm" || name === "login") return true;
  return name === "own" ? kind !== "peer" : kind !== "bare";
}

function footprintRows(results: readonly Result[], sessions: string): Section["rows"] {
  const rows = results.map((result) => [
    result.contestant.name,
    cell(startTime(result), 1),
    cell(memoryIdle(result), 1e-6),
    cell(memoryAfter(result), 1e-6),
    String(result.packages),
    (result.bytes / 1e6).toFixed(1),
  ]);
  return [
    [
      "",
      "start to first response, ms",
      "memory idle, MB",
      `after ${sessions} sessions, MB`,
      "packages",
      "installed, MB",
    ],
    ...rows,
  ];
}

const NONE = "–";

const cell = (spread: Spread | undefined, factor: number): string =>
  spread === undefined
    ? NONE
    : `${shown(spread.median * factor)} (${shown(spread.low * factor)} to ${shown(spread.high * factor)})`;

const median = (spread: Spread | undefined): string =>
  spread === undefined ? NONE : shown(spread.median);

/** Three significant digits. */
const shown = (value: number): string =>
  value.toLocaleString("en", {
    minimumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0,
    maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0,
  });

function asMarkdown(rows: Section["rows"]): string {
  const [head = [], ...body] = rows.map((row) => `| ${row.join(" | ")} |`);
  const rule = `|---|${"---:|".repeat((rows[0]?.length ?? 1) - 1)}`;
  return [head, rule, ...body].join("\n");
}

function chartsOf({ results, run }: Report): readonly Chart[] {
  const chart = (
    title: string,
    unit: string,
    factor: number,
    figure: (result: Result) => Spread | undefined,
  ): Chart => ({
    title,
    unit,
    bars: results.flatMap((result) => {
      const spread = figure(result);
      if (spread === undefined) return [];
      const { name, kind } = result.contestant;
      const [value, low, high] = [spread.median, spread.low, spread.high].map(
        (one) => one * factor,
      );
      return [{ name, kind, value: value ?? 0, low: low ?? 0, high: high ?? 0 }];
    }),
  });
  const exactly = (value: number): Spread => ({ median: value, low: value, high: value });
  return [
    chart("A guarded page, one session", "µs of CPU", 1, (one) => figureOf(one, "warm", "cpu")),
    chart(
      `The same, ${run.sessions.toLocaleString("en")} sessions in turn`,
      "µs of CPU",
      1,
      (one) => figureOf(one, "many", "cpu"),
    ),
    chart("Sign-in", "ms of CPU", 1e-3, (one) => figureOf(one, "right", "cpu")),
    chart("Start to first answer", "ms", 1, startTime),
    chart("Memory, idle", "MB", 1e-6, memoryIdle),
    chart("Installed", "MB", 1e-6, (one) => exactly(one.bytes)),
  ];
}
