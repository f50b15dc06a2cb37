import { escaped, type Spread } from "./figures.ts";

export interface Bar {
  readonly name: string;
  readonly kind: "bare" | "latchkey" | "peer";
  readonly spread: Spread;
}

const WIDTH = 760;
const ROW = 22;
const NAMES = 250;
/** The width of the figure after the longest bar. */
const FIGURES = 70;
const HEAD = 76;
const KINDS = { latchkey: "Latchkey", peer: "others", bare: "without a guard" } as const;

/** Colours with enough contrast in both themes, distinguishable without colour vision. */
const STYLE = `
  svg { color-scheme: light dark; }
  .ground { fill: #ffffff; } .text { fill: #1f2328; }
  .latchkey { fill: #0550ae; } .peer { fill: #d4813f; } .bare { fill: #8c959f; }
  .spread { stroke: #1f2328; stroke-width: 1.5; }
  text { font: 13px system-ui, "Segoe UI", sans-serif; }
  .title { font-size: 15px; font-weight: 600; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; } .text { fill: #f0f6fc; }
    .latchkey { fill: #58a6ff; } .peer { fill: #b5651d; } .bare { fill: #6e7681; }
    .spread { stroke: #f0f6fc; }
  }
`;

/** A bar chart from zero, with the figure after each bar and a line for the middle half. */
export function bars(title: string, all: readonly Bar[]): string {
  const height = HEAD + all.length * ROW + 12;
  const longest = Math.max(...all.map(({ spread }) => spread.high));
  const along = (value: number): number =>
    Math.round(NAMES + ((WIDTH - NAMES - FIGURES) * value) / (longest || 1));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${WIDTH}" height="${height}"/>`,
    `<text class="title text" x="16" y="28">${escaped(title)}</text>`,
    ...Object.entries(KINDS).map(legend),
    ...all.map((bar, at) => barOf(bar, HEAD + at * ROW, along)),
    "</svg>",
    "",
  ].join("\n");
}

function legend([kind, name]: [string, string], at: number): string {
  const x = 16 + at * 130;
  return `<rect class="${kind}" x="${x}" y="42" width="14" height="14"/><text class="text" x="${x + 20}" y="54">${escaped(name)}</text>`;
}

function barOf({ name, kind, spread }: Bar, y: number, along: (value: number) => number): string {
  const { median, low, high } = spread;
  const width = Math.max(along(median) - NAMES, 1);
  return [
    `<text class="text" x="${NAMES - 8}" y="${y + 13}" text-anchor="end">${escaped(name)}</text>`,
    `<rect class="${kind}" x="${NAMES}" y="${y + 2}" width="${width}" height="15"/>`,
    `<path class="spread" d="M${along(low)} ${y + 9.5}H${along(high)}"/>`,
    `<text class="text" x="${along(Math.max(median, high)) + 6}" y="${y + 14}">${median.toFixed(median < 100 ? 1 : 0)}</text>`,
  ].join("");
}
