import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./files.ts";
import { type Equivalent, type Results, readEquivalents, type Survivor } from "./results.ts";

const PAGE = join(ROOT, "docs/mutation.md");

interface Found extends Survivor {
  readonly file: string;
  readonly why: string | undefined;
}

/** The percentage of mutants that a test killed. */
export function scoreOf(results: Results): number {
  const { mutants, survivors } = totalsOf(Object.values(results));
  return mutants === 0 ? 100 : (100 * (mutants - survivors)) / mutants;
}

export async function survivorsOf(results: Results): Promise<readonly Found[]> {
  const equivalents = await readEquivalents();
  return Object.entries(results).flatMap(([file, { survivors }]) =>
    survivors.map((survivor) => ({
      ...survivor,
      file,
      why: reasonFor(file, survivor, equivalents),
    })),
  );
}

export const lineOf = ({ file, line, column, from, to, tests }: Found): string =>
  `${file}:${line}:${column}  ${from}  →  ${to}${tests === 0 ? "  (no test executes it)" : ""}`;

/** Replaces the table between the two comments on the page. Survivors are printed. */
export async function writePage(results: Results, untested: readonly string[]): Promise<void> {
  const page = await readFile(PAGE, "utf8");
  const marked = /(<!-- mutants: begin -->\n).*(<!-- mutants: end -->)/s;
  if (!marked.test(page))
    throw new Error("docs/mutation.md lacks the comments that mark the table");
  const note = untested.length === 0 ? [] : [`${untested.length} files changed since.`];
  const text = `\n${[foldersTable(results), ...note].join("\n\n")}\n\n`;
  await writeFile(
    PAGE,
    page.replace(marked, (_, begin, end) => `${begin}${text}${end}`),
  );
}

export function foldersTable(results: Results): string {
  const byFolder = Map.groupBy(Object.entries(results), ([file]) => file.split("/", 2).join("/"));
  const rows = [...byFolder, ["total", Object.entries(results)] as const].map(([folder, entries]) =>
    row([folder, ...figuresOf(entries.map(([, result]) => result))]),
  );
  return [row(["", "files", "mutants", "killed", "score"]), "|---|--:|--:|--:|--:|", ...rows].join(
    "\n",
  );
}

function figuresOf(results: readonly Results[string][]): readonly string[] {
  const { mutants, survivors } = totalsOf(results);
  const killed = mutants - survivors;
  const score = mutants === 0 ? "" : `${((100 * killed) / mutants).toFixed(1)} %`;
  return [results.length, mutants, killed, score].map(String);
}

function totalsOf(results: readonly Results[string][]) {
  const mutants = results.reduce((sum, result) => sum + result.mutants, 0);
  const survivors = results.reduce((sum, result) => sum + result.survivors.length, 0);
  return { mutants, survivors };
}

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const reasonFor = (
  file: string,
  { from, to }: Survivor,
  equivalents: readonly Equivalent[],
): string | undefined =>
  equivalents.find((one) => one.file === file && one.from === from && one.to === to)?.why;
