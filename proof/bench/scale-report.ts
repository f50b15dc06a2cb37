import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { asMarkdown, type Rows, type Spread, table, writeBetween } from "./figures.ts";
import type { Amount } from "./scale-fill.ts";

const PAGE = fileURLToPath(new URL("../../docs/scaling.md", import.meta.url));

/** Times in milliseconds. */
export type Figures = readonly {
  readonly measure: string;
  readonly unit: "µs" | "ms";
  readonly store: string;
  readonly amount: Amount;
  readonly spread: Spread;
}[];

/** Writes the table between the two comments on the page. */
export async function keep(figures: Figures, versions: readonly string[]): Promise<void> {
  await writeBetween(PAGE, "scale", `${measuredOn(versions)}\n\n${asMarkdown(rowsOf(figures))}`);
}

export const tableOf = (figures: Figures): string => table(rowsOf(figures));

function measuredOn(versions: readonly string[]): string {
  const day = new Date().toISOString().slice(0, 10);
  const machine = `${cpus().length} × ${cpus()[0]?.model.replaceAll("(R)", "")}`;
  return `\`npm run bench -- scale\` on ${day}: ${machine}, Node ${process.versions.node}, ${versions.join(", ")}. Medians, with the middle half in brackets; the last column is the ratio of the largest to the smallest size.`;
}

/** One row per measure and store, one column per size. */
function rowsOf(figures: Figures): Rows {
  const sizes = [...new Set(figures.map(({ amount }) => amount.users))];
  const series = seriesOf(figures);
  return [
    ["users", ...sizes.map((size) => size.toLocaleString("en")), "growth"],
    ...series.map((points) => {
      const [first] = points;
      const last = points.at(-1);
      const growth = (last?.spread.median ?? Number.NaN) / (first?.spread.median ?? Number.NaN);
      const name = `${first?.measure}, ${first?.store}, ${first?.unit}`;
      return [name, ...points.map(({ spread, unit }) => cell(spread, unit)), growth.toFixed(2)];
    }),
  ];
}

function seriesOf(figures: Figures): readonly Figures[] {
  return [...Map.groupBy(figures, ({ measure, store }) => `${measure} ${store}`).values()];
}

function cell({ median, low, high }: Spread, unit: "µs" | "ms"): string {
  const shown = (ms: number): string => numberOf(inUnit(ms, unit));
  return `${shown(median)} (${shown(low)} to ${shown(high)})`;
}

const inUnit = (ms: number, unit: "µs" | "ms"): number => (unit === "µs" ? ms * 1000 : ms);

const numberOf = (value: number): string => value.toFixed(value < 100 ? 1 : 0);
