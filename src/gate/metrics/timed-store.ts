import type { OpenStore } from "../open-store.ts";
import { counter, histogram } from "./instruments.ts";
import type { Metric } from "./text-format.ts";

const STORE_SECONDS = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 2];

/** The store operations that the gate uses. Commands manage accounts in other processes. */
const operations = [
  "hasUsers",
  "findUser",
  "findUserByUsername",
  "insertFirstUser",
  "replacePasswordHash",
  "insertLogEntries",
  "readLogEntries",
  "startOfNewest",
  "pruneLogEntries",
  "recordAttempt",
  "forgetAttempts",
] as const satisfies readonly (keyof OpenStore)[];

export interface StoreTiming {
  readonly metrics: readonly Metric[];
  /** The same store, with its operations timed. */
  timed(store: OpenStore): OpenStore;
}

export function createStoreTiming(seconds: () => number): StoreTiming {
  const durations = histogram(
    "latchkey_store_operation_duration_seconds",
    "Duration of store operations, including failed ones.",
    STORE_SECONDS,
  );
  const failures = counter("latchkey_store_failures_total", "Failed store operations.");

  /** `work` is one operation of the store; its arguments and its result pass through. */
  function timedOperation<Args extends readonly unknown[], Answer>(
    operation: string,
    work: (...args: Args) => Promise<Answer>,
  ): (...args: Args) => Promise<Answer> {
    const duration = durations.of({ operation });
    const failed = failures.of({ operation });
    return async (...args) => {
      const start = seconds();
      try {
        return await work(...args);
      } catch (error) {
        failed.add(1);
        throw error;
      } finally {
        duration.observe(seconds() - start);
      }
    };
  }

  return {
    metrics: [durations, failures],
    timed(store) {
      const timed: OpenStore = Object.create(store);
      for (const operation of operations) {
        const work: ((...args: never[]) => Promise<unknown>) | undefined = store[operation];
        if (work === undefined) continue;
        const value = timedOperation(operation, work.bind(store));
        Object.defineProperty(timed, operation, { value });
      }
      return timed;
    },
  };
}
