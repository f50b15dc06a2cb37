import type { TestContext } from "node:test";
import type { Settings } from "../../../src/gate/settings/settings.ts";
import { send } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import { type RunningGate, startGate } from "../../support/gate.ts";

/** What one look at the metrics gave. */
export interface Scrape {
  readonly text: string;
  /** A series as it is written, name and labels: `latchkey_sign_ins_total{outcome="rejected"}`. */
  value(series: string): number | undefined;
  readonly series: readonly string[];
  /** Every metric that is declared, with or without a series. */
  readonly types: Readonly<Record<string, string>>;
}

export interface MeasuredGate extends RunningGate {
  readonly metricsUrl: string;
  scrape(): Promise<Scrape>;
  /** Waits until the series has that value: an answer is counted when all of it is sent. */
  becomes(series: string, value: number): Promise<Scrape>;
}

export function readScrape(text: string): Scrape {
  const lines = text.trimEnd().split("\n");
  const values = new Map(
    lines
      .filter((line) => !line.startsWith("#"))
      .map((line) => {
        const space = line.lastIndexOf(" ");
        return [line.slice(0, space), Number(line.slice(space + 1))];
      }),
  );
  const types = lines
    .map((line) => /^# TYPE (\S+) (\S+)$/.exec(line))
    .filter((one) => one !== null);
  return {
    text,
    value: (series) => values.get(series),
    series: [...values.keys()],
    types: Object.fromEntries(types.map(([, name, type]) => [name, type])),
  };
}

/** The real gate, with its metrics on a free port. */
export async function startMeasured(
  t: TestContext,
  overrides: Partial<Settings> = {},
): Promise<MeasuredGate> {
  const gate = await startGate(t, { metricsPort: 0, ...overrides });
  const { metricsUrl } = gate;
  if (metricsUrl === undefined) throw new Error("no metrics are served");
  const scrape = async (): Promise<Scrape> =>
    readScrape((await send(`${metricsUrl}/metrics`)).body);
  return {
    ...gate,
    metricsUrl,
    scrape,
    becomes: (series, value) =>
      eventually(async () => {
        const seen = await scrape();
        return seen.value(series) === value ? seen : undefined;
      }),
  };
}
