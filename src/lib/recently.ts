import type { Clock } from "./clock.ts";
import type { MaybePromise } from "./maybe-promise.ts";

const MAX_AGE_MS = 1_000;

/** Caches a value that pages need, and reads it at most once a second. */
export interface Recently<T> {
  /** Returns a value of the last second without a promise. */
  read(): MaybePromise<T>;
  /** The process must call this method whenever it changes the value. */
  forget(): void;
}

export function recently<T>(read: () => Promise<T>, clock: Pick<Clock, "monotonic">): Recently<T> {
  let known: { readonly until: number; readonly value: T } | undefined;
  let changes = 0;

  async function readAgain(startedAt: number): Promise<T> {
    const before = changes;
    const value = await read();
    if (before === changes) known = { until: startedAt + MAX_AGE_MS, value };
    return value;
  }

  return {
    read() {
      const now = clock.monotonic();
      return known !== undefined && now < known.until ? known.value : readAgain(now);
    },
    forget() {
      changes += 1;
      known = undefined;
    },
  };
}
