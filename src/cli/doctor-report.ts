import { styleText } from "node:util";
import type { Checked } from "../doctor/check.ts";
import type { Outcome } from "../doctor/finding.ts";

/** A word each, since not everybody sees the colours. */
const MARKS: Readonly<Record<Outcome, string>> = { fine: "ok", advice: "hint", broken: "WRONG" };

const COLOURS = { fine: "green", advice: "yellow", broken: "red" } as const;

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
      { colour: outcome, text: `${MARKS[outcome].padEnd(5)} ${check.padEnd(width)}  ${found}` },
      ...(remedy === undefined
        ? []
        : [{ colour: "none", text: `${" ".repeat(width + 8)}${remedy}` } as const]),
    ]),
    { colour: "none", text: summaryOf(checked) },
    ...(asked === "with-url" ? [] : [{ colour: "none", text: WITH_URL } as const]),
  ];
}

const WITH_URL = "With --url, it also looks at the way that browsers take.";

function summaryOf(checked: readonly Checked[]): string {
  const count = (outcome: Outcome): number =>
    checked.filter((one) => one.outcome === outcome).length;
  const [wrong, hints] = [count("broken"), count("advice")];
  if (wrong + hints === 0) return "Nothing needs mending.";
  return [
    wrong === 0 ? "Nothing needs mending" : `${wrong} to be mended`,
    ...(hints === 0 ? [] : [`${hints} ${hints === 1 ? "hint" : "hints"}`]),
  ]
    .join(", ")
    .concat(".");
}

type Paint = (colour: ReportLine["colour"], text: string) => string;

/** Colours on a terminal alone, and not where NO_COLOR asks for none. */
export function paletteOf(stream: NodeJS.WriteStream): Paint {
  return (colour, text) => {
    if (colour === "none") return text;
    const [, mark = "", rest = ""] = /^(\S+)([\s\S]*)$/.exec(text) ?? [];
    return `${styleText(COLOURS[colour], mark, { stream })}${rest}`;
  };
}
