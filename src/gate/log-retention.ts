import type { StoreParts } from "../db/store.ts";
import { getErrorMessage } from "../lib/fault.ts";
import { pause } from "../lib/pause.ts";
import type { ServerLog } from "../lib/server-log.ts";
import { type Polling, poll } from "./poll.ts";

const PRUNE_EVERY_MS = 60 * 60_000;
/** The batches are small and have pauses, so that other statements do not wait. */
const BATCH_SIZE = 200;
const PAUSE_MS = 25;

/**
 * Removes log entries older than `keepMs`, now and every hour. `stop` waits for the current batch.
 */
export function startLogRetention(
  store: Pick<StoreParts["log"], "prune">,
  keepMs: number,
  now: () => number,
  log: ServerLog,
): Polling {
  async function prune(stop: AbortSignal): Promise<void> {
    const before = new Date(now() - keepMs);
    try {
      while (!stop.aborted) {
        if ((await store.prune(before, BATCH_SIZE)) < BATCH_SIZE) return;
        await pause(PAUSE_MS, stop);
      }
    } catch (error) {
      log.warn({ reason: getErrorMessage(error) }, "old log entries were not removed");
    }
  }
  return poll(prune, PRUNE_EVERY_MS);
}
