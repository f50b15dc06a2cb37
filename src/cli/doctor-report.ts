import { styleText } from "node:util";
import type { Checked } from "../doctor/check.ts";
import type { Outcome } from "../doctor/finding.ts";
import { counted } from "./terminal.ts";

/** Words, because some users see no colours. */
const MARKS: Readonly<Record<Outcome, string>> = { ok: "ok", hint: "hint", problem: "PROBLEM" };

const COLOURS = { ok: "green", hint: "yellow", problem: "red" } as const;

interface ReportLine {
  readonly colour: Outcome | "none";
  readonly text: string;
}

/** One line for each finding, the remedy indented below, and a summary at the end. */
export function reportOf(
  checked: readonly Checked[],
  asked: "with-url" | "without-url",
): readonly ReportLine[] {
  const width = Math.max(...checked.map(({ check }) => check.length));
  return [
    ...checked.flatMap(({ check, outcome, found, remedy }): readonly ReportLine[] => [
      { colour: outcome, text: `${MARKS[outcome].padEnd(7)} ${check.padEnd(width)}  ${found}` },
      ...(remedy === undefined
        ? []
        : [{ colour: "none", text: `${" ".repeat(width + 10)}${remedy}` } as const]),
    ]),
    { colour: "none", text: summaryOf(checked) },
    ...(asked === "with-url" ? [] : [{ colour: "none", text: WITH_URL } as const]),
  ];
}

const WITH_URL = "To check the public URL too, add --url.";

function summaryOf(checked: readonly Checked[]): string {
  const count = (outcome: Outcome): number =>
    checked.filter((one) => one.outcome === outcome).length;
  const [problems, hints] = [count("problem"), count("hint")];
  if (problems + hints === 0) return "No problems found.";
  const found = problems === 0 ? "No problems" : counted(problems, "problem");
  return `${found} found${hints === 0 ? "" : `, ${counted(hints, "hint")}`}.`;
}

type Paint = (colour: ReportLine["colour"], text: string) => string;

/** Colours on a terminal only, unless NO_COLOR is set. */
export function paletteOf(stream: NodeJS.WritableStream): Paint {
  return (colour, text) => {
    if (colour === "none") return text;
    const [, mark = "", rest = ""] = /^(\S+)([\s\S]*)$/.exec(text) ?? [];
    return `${styleText(COLOURS[colour], mark, { stream })}${rest}`;
  };
}
