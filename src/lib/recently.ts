import type { Clock } from "./clock.ts";

const MAX_AGE_MS = 1_000;

/** Caches a value that pages need, and reads it at most once a second. */
export interface Recently<T> {
  read(): Promise<T>;
  /** The process must call this method whenever it changes the value. */
  forget(): void;
}

export function recently<T>(read: () => Promise<T>, clock: Pick<Clock, "monotonic">): Recently<T> {
  let known: { readonly until: number; readonly value: T } | undefined;
  let changes = 0;
  return {
    async read() {
      const monotonic = clock.monotonic();
      if (known !== undefined && monotonic < known.until) return known.value;
      const before = changes;
      const value = await read();
      if (before === changes) known = { until: monotonic + MAX_AGE_MS, value };
      return value;
    },
    forget() {
      changes += 1;
      known = undefined;
    },
  };
}
