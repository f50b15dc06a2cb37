import { readFile, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { table } from "../bench/figures.ts";
import type { Finding } from "./stage.ts";

const PAGE = fileURLToPath(new URL("../../docs/chaos.md", import.meta.url));
const MARKED = /(<!-- chaos: begin -->\n).*(<!-- chaos: end -->)/s;

export interface Outcome {
  readonly name: string;
  readonly about: string;
  readonly findings: readonly Finding[];
}

/** One line a finding, promises that were broken in capitals. */
export const linesOf = ({ name, findings }: Outcome): readonly string[] =>
  findings.map(({ kind, what, value }) => {
    if (kind === "broken") return `BROKEN ${name}: ${what}: ${value}`;
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
    ["promises kept", count("kept")],
    ["promises broken", count("broken")],
    ["left out", count("left out")],
  ]);
}

/** The figures, between the two comments on the page. */
export async function keep(outcomes: readonly Outcome[], took: string): Promise<void> {
  const page = await readFile(PAGE, "utf8");
  if (!MARKED.test(page)) throw new Error("docs/chaos.md has no place for the figures");
  const text = `${measuredOn(took)}\n\n${asMarkdown(outcomes)}\n`;
  await writeFile(
    PAGE,
    page.replace(MARKED, (_, begin, end) => `${begin}${text}${end}`),
  );
}

function measuredOn(took: string): string {
  const day = new Date().toISOString().slice(0, 10);
  const machine = `${cpus().length} × ${cpus()[0]?.model.replaceAll("(R)", "")}`;
  return `\`npm run chaos\` on ${day}, ${took}: ${machine}, Node ${process.versions.node}.`;
}

function asMarkdown(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap((outcome) => [
    ...figuresAmong(outcome.findings).map(({ what, value }) => [outcome.name, what, value]),
    ...outcome.findings
      .filter(({ kind }) => kind === "broken" || kind === "left out")
      .map(({ kind, what, value }) => [outcome.name, `${kind}: ${what}`, value]),
    [outcome.name, "promises kept", keptOf(outcome.findings)],
  ]);
  return [["case", "figure", "value"], ["---", "---", "---"], ...rows]
    .map(
      (row) =>
        `| ${row.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`,
    )
    .join("\n");
}

const figuresAmong = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ kind }) => kind === "figure");

function keptOf(findings: readonly Finding[]): string {
  const promises = findings.filter(({ kind }) => kind === "kept" || kind === "broken");
  const kept = promises.filter(({ kind }) => kind === "kept");
  return `${kept.length} of ${promises.length}`;
}
