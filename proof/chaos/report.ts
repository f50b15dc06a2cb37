import { readFile, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { type Rows, table } from "../bench/figures.ts";
import type { Finding } from "./context.ts";

const PAGE = fileURLToPath(new URL("../../docs/chaos.md", import.meta.url));
const MARKED = /(<!-- chaos: begin -->\n).*(<!-- chaos: end -->)/s;

export interface Outcome {
  readonly name: string;
  readonly about: string;
  readonly findings: readonly Finding[];
}

/** One line per finding. Failed checks start with FAILED. */
export const linesOf = ({ name, findings }: Outcome): readonly string[] =>
  findings.map(({ kind, what, value }) => {
    if (kind === "failed") return `FAILED ${name}: ${what}: ${value}`;
    return kind === "figure" ? `${what}: ${value}` : `${kind}: ${what}`;
  });

export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap(({ name, findings }) =>
    figuresAmong(findings).map(({ what, value }) => [`${name}: ${what}`, value]),
  );
  const count = (kind: Finding["kind"]): string =>
    String(outcomes.flatMap(({ findings }) => findings).filter((one) => one.kind === kind).length);
  return table([
    ["figure", "value"],
    ...rows,
    ["checks passed", count("passed")],
    ["checks failed", count("failed")],
    ["skipped", count("skipped")],
  ]);
}

/** Replaces the table between the two comments on the page: one row per case. Figures are printed. */
export async function writePage(outcomes: readonly Outcome[], took: string): Promise<void> {
  const page = await readFile(PAGE, "utf8");
  if (!MARKED.test(page)) throw new Error("docs/chaos.md lacks the comments that mark the figures");
  const text = `${measuredOn(took)}\n\n${asMarkdown(outcomes)}\n`;
  await writeFile(
    PAGE,
    page.replace(MARKED, (_, begin, end) => `${begin}${text}${end}`),
  );
}

function measuredOn(took: string): string {
  const day = new Date().toISOString().slice(0, 10);
  const machine = `${cpus().length} × ${cpus()[0]?.model.replaceAll("(R)", "")}`;
  return `\`npm run proof -- chaos\` on ${day}, ${took}: ${machine}, Node ${process.versions.node}.`;
}

function asMarkdown(outcomes: readonly Outcome[]): string {
  const rows: Rows = outcomes.flatMap(({ name, about, findings }) => [
    [`\`${name}\``, about, passedOf(findings)],
    ...findings
      .filter(({ kind }) => kind === "failed" || kind === "skipped")
      .map(({ kind, what, value }) => [`\`${name}\``, `${kind}: ${what}`, value]),
  ]);
  return [["case", "fault", "checks passed"], ["---", "---", "---"], ...rows]
    .map(
      (row) =>
        `| ${row.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`,
    )
    .join("\n");
}

const figuresAmong = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ kind }) => kind === "figure");

function passedOf(findings: readonly Finding[]): string {
  const checks = findings.filter(({ kind }) => kind === "passed" || kind === "failed");
  const passed = checks.filter(({ kind }) => kind === "passed");
  return `${passed.length} of ${checks.length}`;
}
