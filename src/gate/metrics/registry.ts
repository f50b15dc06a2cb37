type Labels = Readonly<Record<string, string>>;

/** What follows the name of the metric (a suffix such as `_sum`, and the labels), and a value. */
type Sample = readonly [series: string, value: number];

type MetricType = "counter" | "gauge" | "histogram";

/** A counter or a histogram with one set of labels. */
interface Instrument {
  /** Adds to the total of a counter, or one value to a histogram. */
  add(value: number): void;
  samples(): Iterable<Sample>;
}

/** Returns the instrument for a set of labels, which it creates on first use. */
type Family = (labels: Labels) => Instrument;

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Creates the metrics of one gate, and writes them for the scrapes. */
export class Registry {
  readonly #metrics: (() => string)[] = [];

  /** Prometheus's text format, version 0.0.4. */
  text(): string {
    return this.#metrics.map((write) => write()).join("");
  }

  /** A gauge that is always 1, and whose labels are the information. */
  info(name: string, help: string, labels: Labels): void {
    this.#add(name, help, "gauge", () => [[labelText(labels), 1]]);
  }

  counter(name: string, help: string): Family {
    return this.#family(name, help, "counter", (labels) => {
      let total = 0;
      return {
        add(value) {
          total += value;
        },
        samples: () => [[labelText(labels), total]],
      };
    });
  }

  histogram(name: string, help: string, bounds: readonly number[]): Family {
    return this.#family(name, help, "histogram", (labels) => distribution(bounds, labels));
  }

  /** Reads a value at each scrape. A value that is missing or unreadable has no sample. */
  gauge(
    name: string,
    help: string,
    read: () => number | undefined,
    type: MetricType = "gauge",
  ): void {
    this.#add(name, help, type, () => {
      try {
        const value = read();
        return value === undefined ? [] : [["", value]];
      } catch {
        return [];
      }
    });
  }

  /** A gauge of operations in progress: each counts until the function returned for it is called. */
  level(name: string, help: string): () => () => void {
    let inProgress = 0;
    this.gauge(name, help, () => inProgress);
    return () => {
      inProgress += 1;
      return () => {
        inProgress -= 1;
      };
    };
  }

  #family(
    name: string,
    help: string,
    type: MetricType,
    create: (labels: Labels) => Instrument,
  ): Family {
    const members = new Map<string, Instrument>();
    this.#add(name, help, type, () => [...members.values()].flatMap((one) => [...one.samples()]));
    return (labels) => {
      const key = JSON.stringify(labels);
      const member = members.get(key) ?? create(labels);
      members.set(key, member);
      return member;
    };
  }

  #add(name: string, help: string, type: MetricType, samples: () => Iterable<Sample>): void {
    this.#metrics.push(() => {
      const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
      for (const [series, value] of samples()) lines.push(`${name}${series} ${value}`);
      return `${lines.join("\n")}\n`;
    });
  }
}

function distribution(bounds: readonly number[], labels: Labels): Instrument {
  const limits = [...bounds, Number.POSITIVE_INFINITY];
  const counts = limits.map(() => 0);
  let sum = 0;
  return {
    add(value) {
      const at = limits.findIndex((limit) => !(value > limit));
      counts[at] = (counts[at] ?? 0) + 1;
      sum += value;
    },
    *samples() {
      let count = 0;
      for (const [at, limit] of limits.entries()) {
        count += counts[at] ?? 0;
        yield [
          `_bucket${labelText({ ...labels, le: limit === Number.POSITIVE_INFINITY ? "+Inf" : String(limit) })}`,
          count,
        ];
      }
      yield [`_sum${labelText(labels)}`, sum];
      yield [`_count${labelText(labels)}`, count];
    },
  };
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) =>
      `${name}="${value.replace(/[\\\n"]/g, (sign) => (sign === "\n" ? "\\n" : `\\${sign}`))}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
