import { escaped } from "./figures.ts";

export interface Bar {
  readonly name: string;
  readonly kind: "bare" | "latchkey" | "peer";
  readonly value: number;
  /** The ends of the spread line. */
  readonly low: number;
  readonly high: number;
}

export interface Chart {
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
}

const COLUMNS = 2;
const WIDTH = 460;
const ROW = 20;
const NAMES = 168;
/** The width of the figure after the longest bar. */
const FIGURES = 60;
const HEAD = 40;
const GAP = 22;
const LEGEND = 40;
const KINDS = { latchkey: "Latchkey", peer: "others", bare: "the HTTP layer alone" } as const;

/** Colours with enough contrast in both themes, distinguishable without colour vision. */
const STYLE = `
  svg { color-scheme: light dark; }
  .ground { fill: #ffffff; } .text { fill: #1f2328; } .faint { fill: #59636e; }
  .latchkey { fill: #0550ae; } .peer { fill: #d4813f; } .bare { fill: #8c959f; }
  .spread { stroke: #1f2328; stroke-width: 1.5; }
  text { font: 12px system-ui, "Segoe UI", sans-serif; }
  .title { font-size: 14px; font-weight: 600; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; } .text { fill: #f0f6fc; } .faint { fill: #9198a1; }
    .latchkey { fill: #58a6ff; } .peer { fill: #b5651d; } .bare { fill: #6e7681; }
    .spread { stroke: #f0f6fc; }
  }
`;

/** Bar charts from zero, each with its own scale, and the figure after each bar. */
export function charts(all: readonly Chart[]): string {
  const rows = Array.from({ length: Math.ceil(all.length / COLUMNS) }, (_, row) =>
    all.slice(row * COLUMNS, (row + 1) * COLUMNS),
  );
  const heights = rows.map((row) => Math.max(...row.map(heightOf)));
  const height = LEGEND + heights.reduce((sum, one) => sum + one, 0);
  const width = COLUMNS * WIDTH;
  let top = LEGEND;
  const parts = rows.flatMap((row, at) => {
    const y = top;
    top += heights[at] ?? 0;
    return row.map(
      (one, column) => `<g transform="translate(${column * WIDTH} ${y})">${chartOf(one)}</g>`,
    );
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(all.map(({ title, unit }) => `${title}, ${unit}`).join("; "))}">`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    ...Object.entries(KINDS).map(legend),
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

const heightOf = ({ bars }: Chart): number => HEAD + bars.length * ROW + GAP;

function legend([kind, name]: [string, string], at: number): string {
  const x = 16 + at * 130;
  return `<rect class="${kind}" x="${x}" y="14" width="14" height="14"/><text class="text" x="${x + 20}" y="26">${escaped(name)}</text>`;
}

function chartOf({ title, unit, bars }: Chart): string {
  const longest = Math.max(...bars.map(({ high }) => high));
  const room = WIDTH - NAMES - FIGURES - 16;
  const along = (value: number): number => Math.round(NAMES + (room * value) / (longest || 1));
  return [
    `<text class="title text" x="16" y="22">${escaped(title)}</text>`,
    `<text class="faint" x="${WIDTH - 16}" y="22" text-anchor="end">${escaped(unit)}</text>`,
    ...bars.map(
      (bar, at) => `<g transform="translate(0 ${HEAD + at * ROW})">${barOf(bar, along)}</g>`,
    ),
  ].join("");
}

function barOf({ name, kind, value, low, high }: Bar, along: (value: number) => number): string {
  const spread = low === high ? "" : `<path class="spread" d="M${along(low)} 9H${along(high)}"/>`;
  const figure = value.toFixed(value < 100 ? 1 : 0);
  return [
    `<text class="text" x="${NAMES - 8}" y="13" text-anchor="end">${escaped(name)}</text>`,
    `<rect class="${kind}" x="${NAMES}" y="2" width="${Math.max(along(value) - NAMES, 1)}" height="14"/>`,
    spread,
    `<text class="text" x="${along(Math.max(value, high)) + 6}" y="13">${figure}</text>`,
  ].join("");
}
