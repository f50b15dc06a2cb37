import { escaped, picture, type Spread } from "./figures.ts";

export interface Bar {
  readonly name: string;
  readonly kind: "bare" | "latchkey" | "peer";
  /** Bars of the same group are adjacent. */
  readonly group: string;
  readonly spread: Spread;
}

const WIDTH = 760;
const ROW = 22;
const NAMES = 250;
/** The width of the figure after the longest bar. */
const FIGURES = 70;
const HEAD = 76;
const GAP = 10;
/** Longer bars are cut, so that the short ones can be compared. */
const MAX = 150;
const KINDS = { latchkey: "Latchkey", peer: "others", bare: "without a guard" } as const;

/** Colours with enough contrast in both themes, distinguishable without colour vision. */
const STYLE = `
  .latchkey { fill: #0550ae; } .peer { fill: #d4813f; } .bare { fill: #8c959f; }
  .spread { stroke: #1f2328; stroke-width: 1.5; }
  .cut { stroke: #ffffff; stroke-width: 3; }
  @media (prefers-color-scheme: dark) {
    .latchkey { fill: #58a6ff; } .peer { fill: #b5651d; } .bare { fill: #6e7681; }
    .spread { stroke: #f0f6fc; } .cut { stroke: #0d1117; }
  }
`;

/** A bar chart from zero, with the figure after each bar and a line for the middle half. */
export function bars(title: string, all: readonly Bar[]): string {
  let y = HEAD;
  const rows = all.map((bar, at) => {
    if (at > 0) y += ROW + (bar.group === all[at - 1]?.group ? 0 : GAP);
    return barOf(bar, y);
  });
  const content = [
    `<text class="text" x="${WIDTH - 16}" y="54" text-anchor="end">bars are cut at ${MAX}</text>`,
    ...Object.entries(KINDS).map(legend),
    ...rows,
  ];
  return picture({ title, width: WIDTH, height: y + ROW + 12, style: STYLE, content });
}

const along = (value: number): number =>
  Math.round(NAMES + ((WIDTH - NAMES - FIGURES) * Math.min(value, MAX)) / MAX);

function legend([kind, name]: [string, string], at: number): string {
  const x = 16 + at * 110;
  return `<rect class="${kind}" x="${x}" y="42" width="14" height="14"/><text class="text" x="${x + 20}" y="54">${escaped(name)}</text>`;
}

function barOf({ name, kind, spread }: Bar, y: number): string {
  const { median, low, high } = spread;
  const width = Math.max(along(median) - NAMES, 1);
  const end =
    median > MAX
      ? `<path class="cut" d="M${along(MAX) - 14} ${y + 19}l6 -19M${along(MAX) - 8} ${y + 19}l6 -19"/>`
      : `<path class="spread" d="M${along(low)} ${y + 9.5}H${along(high)}"/>`;
  return [
    `<text class="text" x="${NAMES - 8}" y="${y + 14}" text-anchor="end">${escaped(name)}</text>`,
    `<rect class="${kind}" x="${NAMES}" y="${y + 2}" width="${width}" height="15"/>`,
    end,
    `<text class="text" x="${along(Math.max(median, high)) + 6}" y="${y + 14}">${median.toFixed(median < 100 ? 1 : 0)}</text>`,
  ].join("");
}
