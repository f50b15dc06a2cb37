import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { asMarkdown, type Rows, type Spread, table, writeBetween } from "./figures.ts";
import type { Amount } from "./scale-fill.ts";

const PAGE = fileURLToPath(new URL("../../docs/scaling.md", import.meta.url));

/** Times in milliseconds. Sizes are in ascending order. */
export type Figures = readonly {
  readonly measure: string;
  readonly unit: "µs" | "ms";
  readonly store: string;
  readonly amount: Amount;
  readonly spread: Spread;
}[];

/** Writes the short table between the two comments on the page. */
export async function keep(figures: Figures, versions: readonly string[]): Promise<void> {
  await writeBetween(
    PAGE,
    "scale",
    `${measuredOn(figures, versions)}\n\n${asMarkdown(summaryRows(figures))}`,
  );
}

export const tableOf = (figures: Figures): string => table(rowsOf(figures));

function measuredOn(figures: Figures, versions: readonly string[]): string {
  const day = new Date().toISOString().slice(0, 10);
  const machine = `${cpus().length} × ${cpus()[0]?.model.replaceAll("(R)", "")}`;
  const sizes = figures.map(({ amount }) => amount.users);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)].map(numberOfUsers);
  return `\`npm run bench -- scale\` on ${day}: ${machine}, Node ${process.versions.node}, ${versions.join(", ")}. Medians with ${most} users, and as times those with ${least}.`;
}

/** One row per measure and store, one column per size. */
function rowsOf(figures: Figures): Rows {
  const sizes = [...new Set(figures.map(({ amount }) => amount.users))];
  const series = seriesOf(figures);
  return [
    ["users", ...sizes.map(numberOfUsers), "growth"],
    ...series.map((points) => {
      const [first] = points;
      const name = `${first?.measure}, ${first?.store}, ${first?.unit}`;
      return [name, ...points.map(({ spread, unit }) => cell(spread, unit)), growthOf(points)];
    }),
  ];
}

/** One row per measure: the median of each store at the largest size, and its growth. */
function summaryRows(figures: Figures): Rows {
  const stores = [...new Set(figures.map(({ store }) => store))];
  const byMeasure = Map.groupBy(figures, ({ measure, unit }) => `${measure}, ${unit}`);
  return [
    ["", ...stores.flatMap((store) => [store, "times"])],
    ...[...byMeasure].map(([name, points]) => [
      name,
      ...stores.flatMap((store) => summaryOf(points.filter((point) => point.store === store))),
    ]),
  ];
}

function summaryOf(points: Figures): readonly string[] {
  const last = points.at(-1);
  if (last === undefined) return ["–", "–"];
  return [numberOf(inUnit(last.spread.median, last.unit)), growthOf(points)];
}

/** The ratio of the medians at the largest and the smallest size. */
function growthOf(points: Figures): string {
  const [first] = points;
  const last = points.at(-1);
  return ((last?.spread.median ?? Number.NaN) / (first?.spread.median ?? Number.NaN)).toFixed(2);
}

const numberOfUsers = (users: number): string => users.toLocaleString("en");

function seriesOf(figures: Figures): readonly Figures[] {
  return [...Map.groupBy(figures, ({ measure, store }) => `${measure} ${store}`).values()];
}

function cell({ median, low, high }: Spread, unit: "µs" | "ms"): string {
  const shown = (ms: number): string => numberOf(inUnit(ms, unit));
  return `${shown(median)} (${shown(low)} to ${shown(high)})`;
}

const inUnit = (ms: number, unit: "µs" | "ms"): number => (unit === "µs" ? ms * 1000 : ms);

const numberOf = (value: number): string => value.toFixed(value < 100 ? 1 : 0);
