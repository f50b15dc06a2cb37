export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  /** Appended to the metric's name: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
  readonly labels: Labels;
  readonly value: number;
}

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram" | "summary";
  /** The current values. */
  samples(): Iterable<Sample>;
}

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Prometheus's text format, version 0.0.4. */
export const textOf = (metrics: readonly Metric[]): string => metrics.map(familyText).join("");

function familyText(metric: Metric): string {
  const { name, help, type } = metric;
  const lines = [`# HELP ${name} ${escaped(help, /[\\\n]/g)}`, `# TYPE ${name} ${type}`];
  for (const { suffix = "", labels, value } of metric.samples()) {
    lines.push(`${name}${suffix}${labelText(labels)} ${numberText(value)}`);
  }
  return `${lines.join("\n")}\n`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(value, /[\\\n"]/g)}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escaped = (text: string, special: RegExp): string =>
  text.replace(special, (sign) => (sign === "\n" ? "\\n" : `\\${sign}`));

export function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
}
