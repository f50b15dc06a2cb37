import { escaped, picture } from "../../bench/figures.ts";
import { p50Of, p99Of, type Sent } from "../judge/requests.ts";

export interface Timeline {
  readonly title: string;
  readonly sent: readonly Sent[];
  readonly start: number;
  readonly forMs: number;
  /** The moments that are marked. */
  readonly marks: readonly number[];
}

const WIDTH = 760;
const LEFT = 64;
const RIGHT = 16;
const PANEL = 130;
const TOPS = [72, 250] as const;
const HEIGHT = 420;
const BUCKET_MS = 500;
const TICK_S = 10;

/** Colours with enough contrast in both themes, distinguishable by their dashes too. */
const STYLE = `
  .line { fill: none; stroke: #0550ae; stroke-width: 2; } .p99 { stroke: #bc4c00; stroke-dasharray: 5 3; }
  .axis { stroke: #8c959f; } .mark { stroke: #cf222e; stroke-dasharray: 2 4; }
  @media (prefers-color-scheme: dark) {
    .line { stroke: #58a6ff; } .p99 { stroke: #f0883e; }
    .axis { stroke: #6e7681; } .mark { stroke: #ff7b72; }
  }
`;

interface Line {
  readonly className: string;
  readonly values: readonly number[];
}

/** Requests per second and latencies over time, as an SVG picture with two panels. */
export function timeline({ title, sent, start, forMs, marks }: Timeline): string {
  const count = Math.floor(forMs / BUCKET_MS);
  const buckets = Array.from({ length: count }, (): Sent[] => []);
  for (const one of sent) {
    buckets[Math.floor((one.sentAt + one.ms - start) / BUCKET_MS)]?.push(one);
  }
  const x = (ms: number): number => Math.round(LEFT + ((WIDTH - LEFT - RIGHT) * ms) / forMs);
  const panel = (top: number, name: string, lines: readonly Line[]): readonly string[] => {
    const max = roundUp(Math.max(...lines.flatMap(({ values }) => values)));
    const y = (value: number): number => Math.round(top + PANEL * (1 - value / max));
    return [
      `<text class="text" x="${LEFT}" y="${top - 10}">${escaped(name)}</text>`,
      ...[0, max / 2, max].map(
        (value) =>
          `<path class="axis" d="M${LEFT} ${y(value)}H${WIDTH - RIGHT}"/><text class="text" x="${LEFT - 8}" y="${y(value) + 4}" text-anchor="end">${value}</text>`,
      ),
      ...marks.map((at) => `<path class="mark" d="M${x(at - start)} ${top}V${top + PANEL}"/>`),
      ...lines.map(({ className, values }) => {
        const points = values.map((value, at) => `${x((at + 0.5) * BUCKET_MS)} ${y(value)}`);
        return `<path class="${className}" d="M${points.join("L")}"/>`;
      }),
    ];
  };
  const seconds = Array.from({ length: Math.floor(forMs / 1_000 / TICK_S) + 1 }, (_, n) => n);
  const content = [
    ...panel(TOPS[0], "requests per second; dotted: a gate is killed", [
      { className: "line", values: buckets.map(({ length }) => (length * 1_000) / BUCKET_MS) },
    ]),
    ...panel(TOPS[1], "latency in ms: median, and dashed the 99th percentile", [
      { className: "line p99", values: buckets.map((one) => orZero(p99Of(one))) },
      { className: "line", values: buckets.map((one) => orZero(p50Of(one))) },
    ]),
    ...seconds.map(
      (n) =>
        `<text class="text" x="${x(n * TICK_S * 1_000)}" y="${TOPS[1] + PANEL + 22}" text-anchor="${n === seconds.length - 1 ? "end" : "middle"}">${n * TICK_S} s</text>`,
    ),
  ];
  return picture({ title, width: WIDTH, height: HEIGHT, style: STYLE, content });
}

const orZero = (value: number): number => (Number.isNaN(value) ? 0 : value);

/** The next of 1, 2, 4, 6, 8 and 10 times a power of ten, so that its half is a round number. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return ([1, 2, 4, 6, 8].find((times) => times * unit >= value) ?? 10) * unit;
}
