import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../core/fault.ts";
import type { LogPruner } from "../core/log-reader.ts";
import type { ServerLog } from "../core/server-log.ts";

const LOOK_EVERY_MS = 60 * 60_000;
/** Few at a time, with pauses, so that nobody has to wait for it. */
const AT_ONCE = 200;
const PAUSE_MS = 25;

export interface LogRetention {
  /** Waits for the step that is under way. */
  stop(): Promise<void>;
}

/** Removes log entries once they are older than `keepMs`: now, and every hour. */
export function startLogRetention(
  store: LogPruner,
  keepMs: number,
  now: () => number,
  log: ServerLog,
): LogRetention {
  const stopping = new AbortController();
  const pause = (ms: number): Promise<unknown> =>
    sleep(ms, undefined, { ref: false, signal: stopping.signal }).catch(() => {});

  async function prune(): Promise<void> {
    const before = new Date(now() - keepMs);
    while (!stopping.signal.aborted) {
      if ((await store.pruneLogEntries(before, AT_ONCE)) < AT_ONCE) return;
      await pause(PAUSE_MS);
    }
  }

  async function goOn(): Promise<void> {
    while (!stopping.signal.aborted) {
      await prune().catch((error) => {
        log.warn({ reason: messageOf(error) }, "old log entries were not removed");
      });
      await pause(LOOK_EVERY_MS);
    }
  }

  const over = goOn();
  return {
    async stop() {
      stopping.abort();
      await over;
    },
  };
}
