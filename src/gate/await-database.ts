import { isTemporary } from "../db/postgres/failures.ts";
import { getErrorReason } from "../lib/fault.ts";
import { pause } from "../lib/pause.ts";
import type { GateLog } from "./server-log.ts";

const TRY_EVERY_MS = 1_000;
const LOG_EVERY_MS = 60_000;

interface Opening<T> {
  /** Rejects after a permanent failure, and after `stop`. */
  readonly done: Promise<T>;
  /** Resolves once an attempt has failed and another attempt follows. */
  readonly waiting: Promise<void>;
  /** Resolves once the running attempt has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `attempt` until it succeeds. While the database is unreachable, it waits and logs the
 * reason.
 */
export function awaitDatabase<T>(
  attempt: () => Promise<T>,
  monotonic: () => number,
  log: GateLog,
): Opening<T> {
  const waiting = Promise.withResolvers<void>();
  const stopping = new AbortController();

  async function repeat(): Promise<T> {
    const startedAt = monotonic();
    let logAt = startedAt;
    for (;;) {
      try {
        const result = await attempt();
        if (logAt > startedAt) {
          const seconds = Math.round((monotonic() - startedAt) / 1_000);
          log.info({ seconds }, `the database answers after ${seconds} s`);
        }
        return result;
      } catch (error) {
        if (!isTemporary(error)) throw error;
        if (monotonic() >= logAt) {
          log.warn({ reason: getErrorReason(error) }, "waiting for the database");
          logAt = monotonic() + LOG_EVERY_MS;
        }
      }
      waiting.resolve();
      await pause(TRY_EVERY_MS, stopping.signal);
      stopping.signal.throwIfAborted();
    }
  }

  const done = repeat();
  return {
    done,
    waiting: waiting.promise,
    async stop() {
      stopping.abort();
      await done.catch(() => {});
    },
  };
}
