import { escaped } from "./figures.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
  /** The ends of the spread bar. */
  readonly low: number;
  readonly high: number;
}

export interface Line {
  readonly name: string;
  readonly points: readonly Point[];
}

export interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly Line[];
}

const COLUMNS = 2;
const WIDTH = 420;
const HEIGHT = 230;
const LEGEND = 44;
const MARGIN = { left: 62, right: 24, top: 38, bottom: 50 } as const;
const MARKS = ["circle", "square"] as const;

/** Colours with enough contrast in both themes, distinguishable without colour vision. */
const STYLE = `
  svg { color-scheme: light dark; }
  .ground { fill: #ffffff; } .text { fill: #1f2328; } .faint { fill: #59636e; }
  .grid { stroke: #d1d9e0; } .axis { stroke: #59636e; }
  .s0 { --c: #0550ae; } .s1 { --c: #bc4c00; }
  .line { fill: none; stroke: var(--c); stroke-width: 2; } .bar { stroke: var(--c); }
  .mark { fill: var(--c); }
  text { font: 12px system-ui, "Segoe UI", sans-serif; }
  .title { font-size: 14px; font-weight: 600; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; } .text { fill: #f0f6fc; } .faint { fill: #9198a1; }
    .grid { stroke: #3d444d; } .axis { stroke: #9198a1; }
    .s0 { --c: #79c0ff; } .s1 { --c: #ffa657; }
  }
`;

/** Line charts, one panel per measure, with the same logarithmic x axis and a y axis from zero. */
export function plot(panels: readonly Panel[], xName: string): string {
  const names = panels[0]?.lines.map(({ name }) => name) ?? [];
  const width = COLUMNS * WIDTH;
  const height = LEGEND + Math.ceil(panels.length / COLUMNS) * HEIGHT;
  const title = `${panels.map((panel) => panel.title).join(", ")}, over the number of ${xName}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    ...names.map((name, at) => legend(name, at)),
    ...panels.map((panel, at) => {
      const [x, y] = [(at % COLUMNS) * WIDTH, LEGEND + Math.floor(at / COLUMNS) * HEIGHT];
      return `<g transform="translate(${x} ${y})">${panelOf(panel, xName)}</g>`;
    }),
    "</svg>",
    "",
  ].join("\n");
}

function legend(name: string, at: number): string {
  const x = MARGIN.left + at * 140;
  return `<g class="s${at}"><path class="line" d="M${x} 22h30"/>${mark(at, x + 15, 22)}<text class="text" x="${x + 38}" y="26">${escaped(name)}</text></g>`;
}

function panelOf({ title, unit, lines }: Panel, xName: string): string {
  const points = lines.flatMap((line) => line.points);
  const across = scaleOf(points, Math.max(...points.map(({ high }) => high)));
  const [left, right] = [MARGIN.left, WIDTH - MARGIN.right];
  const bottom = HEIGHT - MARGIN.bottom;
  const sizes = [...new Set(points.map(({ x }) => x))];
  const middle = (MARGIN.top + bottom) / 2;
  return [
    `<text class="text title" x="${left}" y="22">${escaped(title)}</text>`,
    ...across.ticks.map((tick) => {
      const y = across.y(tick);
      return `<path class="grid" d="M${left} ${y}H${right}"/><text class="faint" x="${left - 8}" y="${y + 4}" text-anchor="end">${tick.toLocaleString("en")}</text>`;
    }),
    `<path class="axis" d="M${left} ${bottom}H${right}"/>`,
    ...sizes.map((size) => {
      const x = across.x(size);
      return `<path class="axis" d="M${x} ${bottom}v5"/><text class="faint" x="${x}" y="${bottom + 19}" text-anchor="middle">${short(size)}</text>`;
    }),
    `<text class="text" x="${(left + right) / 2}" y="${bottom + 38}" text-anchor="middle">${escaped(xName)}, log scale</text>`,
    `<text class="text" transform="translate(16 ${middle}) rotate(-90)" text-anchor="middle">${escaped(unit)}</text>`,
    ...lines.map((line, at) => `<g class="s${at}">${lineOf(line, at, across)}</g>`),
  ].join("");
}

interface Across {
  readonly ticks: readonly number[];
  x(value: number): number;
  y(value: number): number;
}

function scaleOf(points: readonly Point[], highest: number): Across {
  const ends = [Math.min(...points.map(({ x }) => x)), Math.max(...points.map(({ x }) => x))];
  const [first = 0, last = 1] = ends.map(Math.log10);
  const step = stepFor(highest);
  const ticks = Array.from({ length: Math.ceil(highest / step) + 1 }, (_, at) => at * step);
  const top = ticks.at(-1) ?? highest;
  const room = { x: WIDTH - MARGIN.left - MARGIN.right, y: HEIGHT - MARGIN.top - MARGIN.bottom };
  return {
    ticks,
    x: (value) =>
      rounded(MARGIN.left + (room.x * (Math.log10(value) - first)) / (last - first || 1)),
    y: (value) => rounded(MARGIN.top + room.y * (1 - value / top)),
  };
}

/** One, two or five times a power of ten, for at most five ticks above zero. */
function stepFor(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(highest / 5));
  return [1, 2, 5, 10].map((times) => times * power).find((step) => highest / step <= 5) ?? highest;
}

function lineOf({ points }: Line, at: number, { x, y }: Across): string {
  const path = points.map((point) => `${x(point.x)} ${y(point.y)}`).join("L");
  const bars = points.map(({ x: size, low, high }) => `M${x(size)} ${y(low)}V${y(high)}`).join("");
  const marks = points.map((point) => mark(at, x(point.x), y(point.y)));
  return `<path class="line" d="M${path}"/><path class="bar" d="${bars}"/>${marks.join("")}`;
}

function mark(at: number, x: number, y: number): string {
  return MARKS[at % MARKS.length] === "circle"
    ? `<circle class="mark" cx="${x}" cy="${y}" r="4"/>`
    : `<rect class="mark" x="${rounded(x - 4)}" y="${rounded(y - 4)}" width="8" height="8"/>`;
}

const short = (value: number): string =>
  value >= 1e6 ? `${value / 1e6} M` : value >= 1e3 ? `${value / 1e3} k` : String(value);

const rounded = (value: number): number => Math.round(value * 10) / 10;
