import { type Labels, type Metric, numberText, type Sample } from "./text-format.ts";

export interface Counter {
  add(amount: number): void;
}

export interface Histogram {
  observe(value: number): void;
}

/** A metric with one `T` for each set of labels, created on first use. */
export interface Family<T> extends Metric {
  of(labels: Labels): T;
}

/** The number of operations in progress. */
export interface Level {
  /** Adds one until the returned function is called. */
  begin(): () => void;
}

export function counter(name: string, help: string): Family<Counter> {
  const family = familyOf<Counter & { readonly total: () => number }>((_labels) => {
    let total = 0;
    return {
      add: (amount) => {
        total += amount;
      },
      total: () => total,
    };
  });
  return {
    ...{ name, help, type: "counter", of: family.of },
    *samples() {
      for (const [labels, { total }] of family.all()) yield { labels, value: total() };
    },
  };
}

export function histogram(
  name: string,
  help: string,
  bounds: readonly number[],
): Family<Histogram> {
  const family = familyOf(() => distribution(bounds));
  return {
    ...{ name, help, type: "histogram", of: family.of },
    *samples() {
      for (const [labels, { samples }] of family.all()) yield* samples(labels);
    },
  };
}

function distribution(
  bounds: readonly number[],
): Histogram & { samples(labels: Labels): Iterable<Sample> } {
  const limits = [...bounds, Number.POSITIVE_INFINITY];
  const counts = new Array<number>(limits.length).fill(0);
  let sum = 0;
  return {
    observe(value) {
      let at = 0;
      while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1;
      counts[at] = (counts[at] ?? 0) + 1;
      sum += value;
    },
    *samples(labels) {
      let count = 0;
      for (const [at, limit] of limits.entries()) {
        count += counts[at] ?? 0;
        yield { suffix: "_bucket", labels: { ...labels, le: numberText(limit) }, value: count };
      }
      yield { suffix: "_sum", labels, value: sum };
      yield { suffix: "_count", labels, value: count };
    },
  };
}

function familyOf<T>(create: (labels: Labels) => T) {
  const members = new Map<string, readonly [Labels, T]>();
  return {
    of(labels: Labels): T {
      const key = JSON.stringify(labels);
      const [, known] = members.get(key) ?? [];
      if (known !== undefined) return known;
      const member = create(labels);
      members.set(key, [labels, member]);
      return member;
    },
    all: () => members.values(),
  };
}

/** A gauge that is read at each scrape. A value that is missing or unreadable has no sample. */
export const gauge = (name: string, help: string, read: () => number | undefined): Metric => ({
  ...{ name, help, type: "gauge" },
  *samples() {
    const value = valueOrNone(read);
    if (value !== undefined) yield { labels: {}, value };
  },
});

function valueOrNone(read: () => number | undefined): number | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Like `gauge`, for a value that only grows and is counted elsewhere. */
export const counted = (name: string, help: string, read: () => number): Metric => ({
  ...gauge(name, help, read),
  type: "counter",
});

export function level(name: string, help: string): Metric & Level {
  let now = 0;
  return {
    ...gauge(name, help, () => now),
    begin() {
      now += 1;
      return () => {
        now -= 1;
      };
    },
  };
}
