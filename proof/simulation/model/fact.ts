/** What a request did to a fact; `undefined` if it was not answered. */
export type Change<T> = { readonly to: T } | "unchanged" | undefined;

/** Something that requests change, as far as their answers tell. */
export interface Fact<T> {
  /** `undefined` while it is not certain. */
  readonly value: T | undefined;
  /** When it became certain. */
  readonly since: number;
  /** Grows with each request that may have changed it. */
  readonly version: number;
  /** A request begins that may change it. */
  changing(): (change: Change<T>) => void;
}

/** @param lateMs How long after a failure a request can still take effect. */
export function createFact<T>(first: T, now: () => number, lateMs: number): Fact<T> {
  let value: T | undefined = first;
  let since = now();
  let version = 0;
  let pending = 0;
  let uncertainUntil = Number.NEGATIVE_INFINITY;

  return {
    get value() {
      return pending > 0 ? undefined : value;
    },
    get since() {
      return since;
    },
    get version() {
      return version;
    },
    changing() {
      const from = now();
      const isAlone = pending === 0;
      version += 1;
      pending += 1;
      const before = version;
      return (change) => {
        pending -= 1;
        if (change === "unchanged") return;
        const isCertain = isAlone && version === before && from > uncertainUntil;
        version += 1;
        value = isCertain && change !== undefined ? change.to : undefined;
        since = now();
        if (change === undefined) uncertainUntil = now() + lateMs;
      };
    },
  };
}
