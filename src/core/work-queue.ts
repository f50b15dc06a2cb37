import { Unavailable } from "./fault.ts";
import { noMeter, type WorkMeter } from "./meter.ts";

export interface WorkQueueLimits {
  /** How many jobs run at the same time. */
  readonly atOnce: number;
  /** How many more may wait behind them. One more than that is refused. */
  readonly waiting: number;
}

/**
 * Keeps slow work within bounds: memory stays flat under a flood, the wait stays short for those
 * who are let in, and the rest hear at once that the server is busy.
 */
export type WorkQueue = <T>(job: () => Promise<T>) => Promise<T>;

export function createWorkQueue(
  { atOnce, waiting }: WorkQueueLimits,
  meter: WorkMeter = noMeter.hashes,
): WorkQueue {
  const starts: (() => void)[] = [];
  let running = 0;

  return async (job) => {
    if (running < atOnce) {
      running += 1;
    } else if (starts.length < waiting) {
      const over = meter.waits();
      await new Promise<void>((start) => starts.push(start));
      over();
    } else {
      meter.refused();
      throw new Unavailable("overloaded", "the server is busy, try again in a moment", 2);
    }
    const done = meter.runs();
    try {
      return await job();
    } finally {
      done();
      // Handing the place on, instead of giving it back, keeps a newcomer from slipping in between.
      const next = starts.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
