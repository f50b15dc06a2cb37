import { styleText } from "node:util";
import { toPrintable } from "../lib/files/printable.ts";

/** The marks contain words, because some users cannot see colours. */
const MARKS = { ok: "✓ ok", hint: "! hint", problem: "✗ PROBLEM", skipped: "– skipped" } as const;
const MARK_WIDTH = 11;
const COLOURS = { ok: "green", hint: "yellow", problem: "red", skipped: "gray" } as const;

/** Describes what a check has found. */
interface ShownReport {
  readonly check: string;
  readonly outcome: keyof typeof MARKS;
  readonly found: string;
  readonly remedy?: string;
}

/**
 * Formats a report as one line, with its remedy below. It uses colour on a terminal unless NO_COLOR
 * is set.
 *
 * @param width is the length of the longest name of a check.
 */
export function formatReport(
  { check, found, outcome, remedy }: ShownReport,
  width: number,
  stream: NodeJS.WritableStream,
): readonly string[] {
  const mark = MARKS[outcome];
  const coloured = styleText(COLOURS[outcome], mark, { stream });
  const line = `${coloured}${" ".repeat(MARK_WIDTH - mark.length)}${check.padEnd(width)}  ${toPrintable(found)}`;
  if (remedy === undefined) return [line];
  return [line, `${" ".repeat(MARK_WIDTH + width + 2)}→ ${toPrintable(remedy)}`];
}
