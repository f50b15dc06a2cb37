export interface MemorySample {
  /** In ms since some moment. */
  readonly at: number;
  readonly bytes: number;
}

const MINUTE_MS = 60_000;

/** The line through the samples that fits best: in bytes a minute. */
export function growthPerMinute(samples: readonly MemorySample[]): number {
  const meanAt = mean(samples.map(({ at }) => at));
  const meanBytes = mean(samples.map(({ bytes }) => bytes));
  const along = samples.map(({ at }) => at - meanAt);
  const covariance = mean(samples.map(({ bytes }, n) => (bytes - meanBytes) * (along[n] ?? 0)));
  return (covariance / mean(along.map((distance) => distance ** 2))) * MINUTE_MS;
}

/** A leak is what grows with every request, by more than so many bytes each. */
export function judgeGrowth(
  samples: readonly MemorySample[],
  requestsPerMinute: number,
  bytesPerRequest: number,
): readonly string[] {
  const perRequest = growthPerMinute(samples) / requestsPerMinute;
  // What is not a number is no proof of anything.
  if (perRequest <= bytesPerRequest) return [];
  return [`the heap grows by ${perRequest.toFixed(0)} bytes with every request`];
}

/** Flat: after the first quarter it rises no further above what it was at most until then. */
export function judgePeak(
  name: string,
  samples: readonly number[],
  mostRise: number,
): readonly string[] {
  const rise = riseOf(samples);
  return rise <= mostRise ? [] : [`${name} rose by ${inMegabytes(rise)}`];
}

/** Not a number where there is too little to compare. */
export function riseOf(samples: readonly number[]): number {
  const quarter = Math.ceil(samples.length / 4);
  const [first, later] = [samples.slice(0, quarter), samples.slice(quarter)];
  if (first.length === 0 || later.length === 0) return Number.NaN;
  return Math.max(...later) - Math.max(...first);
}

export const inMegabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
