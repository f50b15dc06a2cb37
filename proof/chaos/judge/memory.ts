export interface MemorySample {
  /** Time in ms. */
  readonly at: number;
  readonly bytes: number;
}

const MINUTE_MS = 60_000;

/** The slope of the regression line, in bytes per minute. */
export function growthPerMinute(samples: readonly MemorySample[]): number {
  const meanAt = mean(samples.map(({ at }) => at));
  const meanBytes = mean(samples.map(({ bytes }) => bytes));
  const along = samples.map(({ at }) => at - meanAt);
  const covariance = mean(samples.map(({ bytes }, n) => (bytes - meanBytes) * (along[n] ?? 0)));
  return (covariance / mean(along.map((distance) => distance ** 2))) * MINUTE_MS;
}

/** Reports a leak: growth above `bytesPerRequest` for each request. */
export function judgeGrowth(
  samples: readonly MemorySample[],
  requestsPerMinute: number,
  bytesPerRequest: number,
): readonly string[] {
  const perRequest = growthPerMinute(samples) / requestsPerMinute;
  // NaN, from too few samples, must count as a problem.
  if (perRequest <= bytesPerRequest) return [];
  return [`the heap grows by ${perRequest.toFixed(0)} bytes with every request`];
}

/** Reports memory that rises by more than `maxRise` above the maximum of the first quarter. */
export function judgePeak(
  name: string,
  samples: readonly number[],
  maxRise: number,
): readonly string[] {
  const rise = riseOf(samples);
  return rise <= maxRise ? [] : [`${name} rose by ${inMegabytes(rise)}`];
}

/** The rise after the first quarter; NaN for too few samples. */
export function riseOf(samples: readonly number[]): number {
  const quarter = Math.ceil(samples.length / 4);
  const [first, later] = [samples.slice(0, quarter), samples.slice(quarter)];
  if (first.length === 0 || later.length === 0) return Number.NaN;
  return Math.max(...later) - Math.max(...first);
}

export const inMegabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
