import { operationsOf, wrapStore } from "../../core/base/wrap-store.ts";
import type { Store } from "../../core/store.ts";
import type { Registry } from "./registry.ts";

const STORE_SECONDS = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 2];

/** Returns a function that returns the same store, with its operations timed. */
export function timeStore(
  registry: Registry,
  seconds: () => number,
): <S extends Store>(store: S) => S {
  const durations = registry.histogram(
    "latchkey_store_operation_duration_seconds",
    "Duration of store operations, including failed ones.",
    STORE_SECONDS,
  );
  const failures = registry.counter("latchkey_store_failures_total", "Failed store operations.");
  return (store) => {
    // From 0, so that the first failure is an increase.
    for (const operation of operationsOf(store)) failures({ operation });
    return wrapStore(store, (operation, call) => {
      const start = seconds();
      const result = call();
      if (!(result instanceof Promise)) return result;
      const ended = () => durations({ operation }).add(seconds() - start);
      const failed = (): void => {
        ended();
        failures({ operation }).add(1);
      };
      result.then(ended, failed);
      return result;
    });
  };
}
