import type { TestContext } from "node:test";
import type { Settings } from "../../../src/gate/settings/settings.ts";
import { send } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import { type RunningGate, startGate } from "../../support/gate.ts";

/** The result of one scrape. */
export interface Scrape {
  readonly text: string;
  /** `series` is a name with labels: `latchkey_sign_ins_total{outcome="rejected"}`. */
  value(series: string): number | undefined;
  readonly series: readonly string[];
  /** The types of all declared metrics, with or without series. */
  readonly types: Readonly<Record<string, string>>;
}

export interface MeasuredGate extends RunningGate {
  readonly metricsUrl: string;
  scrape(): Promise<Scrape>;
  /** Waits until the series has the value: a response counts once it is sent completely. */
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

/** The series of requests. */
export const requests = (method: string, route: string, code: string): string =>
  `latchkey_http_requests_total{route="${route}",method="${method}",code="${code}"}`;

/** Starts a real gate, with its metrics on a free port. */
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
        const scraped = await scrape();
        return scraped.value(series) === value ? scraped : undefined;
      }),
  };
}
