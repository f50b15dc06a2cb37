import type { OpenStore } from "../open-store.ts";
import type { Registry } from "./registry.ts";

const STORE_SECONDS = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 2];

/** The store operations that the gate uses. Commands manage accounts in other processes. */
const operations = [
  "hasUsers",
  "findUser",
  "findUserByUsername",
  "insertFirstUser",
  "replacePasswordHash",
  "replaceExtra",
  "hasExtra",
  "endSessions",
  "insertSession",
  "noteSessionsUsed",
  "findSession",
  "readSessionsOf",
  "removeSessions",
  "insertLogEntries",
  "readNewestEntriesOf",
  "pruneLogEntries",
  "pruneLogEntriesOf",
  "recordAttempt",
  "forgetAttempts",
] as const satisfies readonly (keyof OpenStore)[];

/** Returns a function that returns the same store, with its operations timed. */
export function timeStore(
  registry: Registry,
  seconds: () => number,
): (store: OpenStore) => OpenStore {
  const durations = registry.histogram(
    "latchkey_store_operation_duration_seconds",
    "Duration of store operations, including failed ones.",
    STORE_SECONDS,
  );
  const failures = registry.counter("latchkey_store_failures_total", "Failed store operations.");
  return (store) => {
    const timed: OpenStore = Object.create(store);
    for (const operation of operations) {
      const work: ((...args: never[]) => Promise<unknown>) | undefined = store[operation];
      if (work === undefined) continue;
      const duration = durations({ operation });
      const failed = failures({ operation });
      const value = async (...args: never[]): Promise<unknown> => {
        const start = seconds();
        try {
          return await work.apply(store, args);
        } catch (error) {
          failed.add(1);
          throw error;
        } finally {
          duration.add(seconds() - start);
        }
      };
      Object.defineProperty(timed, operation, { value });
    }
    return timed;
  };
}
