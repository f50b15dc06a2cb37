type Labels = Readonly<Record<string, string>>;

type MetricType = "counter" | "gauge" | "histogram";

/** What follows the name of the metric (a suffix such as `_sum`, and the labels), and a value. */
type Sample = readonly [series: string, value: number];

/** Adds to the value with these labels, or one value to a histogram. */
export type Add = (value: number, labels?: Labels) => void;

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Creates the metrics of one gate, and writes them for the scrapes. */
export class Registry {
  readonly #metrics: (() => string)[] = [];

  /** Prometheus's text format, version 0.0.4. */
  text(): string {
    return this.#metrics.map((write) => write()).join("");
  }

  /** @param begun The labels of values that exist from the start, as 0. */
  counter(
    name: string,
    help: string,
    begun: readonly Labels[] = [{}],
    type: MetricType = "counter",
  ): Add {
    const values = new Map<string, number>();
    this.#write(name, help, type, () => values);
    const add: Add = (value, labels = {}) => {
      const series = labelText(labels);
      values.set(series, (values.get(series) ?? 0) + value);
    };
    for (const labels of begun) add(0, labels);
    return add;
  }

  /** Reads a value at each scrape. A value that is missing or unreadable has no sample. */
  gauge(
    name: string,
    help: string,
    read: () => number | undefined,
    type: MetricType = "gauge",
  ): void {
    this.#write(name, help, type, () => {
      try {
        const value = read();
        return value === undefined ? [] : [["", value]];
      } catch {
        return [];
      }
    });
  }

  histogram(
    name: string,
    help: string,
    bounds: readonly number[],
    begun: readonly Labels[] = [{}],
  ): Add {
    const limits = [...bounds, Number.POSITIVE_INFINITY];
    const members = new Map<string, { labels: Labels; counts: number[]; sum: number }>();
    this.#write(name, help, "histogram", () =>
      [...members].flatMap(([series, { labels, counts, sum }]): readonly Sample[] => [
        ...limits.map((limit, at): Sample => {
          const le = limit === Number.POSITIVE_INFINITY ? "+Inf" : String(limit);
          return [`_bucket${labelText({ ...labels, le })}`, counts[at] ?? 0];
        }),
        [`_sum${series}`, sum],
        [`_count${series}`, counts.at(-1) ?? 0],
      ]),
    );
    const memberOf = (labels: Labels) => {
      const series = labelText(labels);
      const member = members.get(series) ?? { labels, counts: limits.map(() => 0), sum: 0 };
      members.set(series, member);
      return member;
    };
    begun.forEach(memberOf);
    return (value, labels = {}) => {
      const member = memberOf(labels);
      member.sum += value;
      member.counts = member.counts.map((count, at) =>
        value <= (limits[at] ?? 0) ? count + 1 : count,
      );
    };
  }

  #write(name: string, help: string, type: MetricType, samples: () => Iterable<Sample>): void {
    this.#metrics.push(() => {
      const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
      for (const [series, value] of samples()) lines.push(`${name}${series} ${value}`);
      return `${lines.join("\n")}\n`;
    });
  }
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) =>
      `${name}="${value.replace(/[\\\n"]/g, (sign) => (sign === "\n" ? "\\n" : `\\${sign}`))}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
