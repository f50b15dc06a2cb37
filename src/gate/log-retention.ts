import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../core/fault.ts";
import type { LogPruner } from "../core/log-reader.ts";
import type { ServerLog } from "../core/server-log.ts";

const PRUNE_EVERY_MS = 60 * 60_000;
/** Small batches with pauses, so that other statements do not wait. */
const BATCH_SIZE = 200;
const PAUSE_MS = 25;

export interface LogRetention {
  /** Waits for the current batch. */
  stop(): Promise<void>;
}

/** Removes log entries older than `keepMs`, now and every hour; `undefined` keeps all. */
export function startLogRetention(
  store: LogPruner,
  keepMs: number | undefined,
  now: () => number,
  log: ServerLog,
): LogRetention {
  if (keepMs === undefined) return { stop: async () => {} };
  const maxAgeMs = keepMs;
  const stopping = new AbortController();
  const pause = (ms: number): Promise<unknown> =>
    sleep(ms, undefined, { ref: false, signal: stopping.signal }).catch(() => {});

  async function prune(): Promise<void> {
    const before = new Date(now() - maxAgeMs);
    while (!stopping.signal.aborted) {
      if ((await store.pruneLogEntries(before, BATCH_SIZE)) < BATCH_SIZE) return;
      await pause(PAUSE_MS);
    }
  }

  async function pruneHourly(): Promise<void> {
    while (!stopping.signal.aborted) {
      await prune().catch((error) => {
        log.warn({ reason: messageOf(error) }, "old log entries were not removed");
      });
      await pause(PRUNE_EVERY_MS);
    }
  }

  const ended = pruneHourly();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
