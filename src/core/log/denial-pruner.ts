import { messageOf } from "../base/fault.ts";
import type { ServerLog } from "../base/server-log.ts";
import type { NewLogEntry } from "../store.ts";
import { DENIAL } from "./events.ts";
import type { LogPruner } from "./log-reader.ts";

/** Denied sign-ins that stay in the audit log: any client can cause them, and so fill the disk. */
export const MAX_KEPT_DENIALS = 10_000;
/** Counting the kept ones takes a millisecond, so it is done once for so many new ones. */
const PRUNE_AFTER = 500;
/** More than arrive meanwhile, and few enough for one short transaction. */
const MAX_BATCH = 1_000;

/**
 * Returns a function that is called with the entries just written. At the first denial and after
 * every 500, it removes the oldest beyond the newest 10,000. A failure is only logged.
 */
export function createDenialPruner(
  store: Partial<LogPruner>,
  log: ServerLog,
): (written: readonly NewLogEntry[]) => Promise<void> {
  let unchecked = PRUNE_AFTER - 1;
  return async (written) => {
    unchecked += written.filter(({ type }) => type === DENIAL).length;
    if (unchecked < PRUNE_AFTER) return;
    unchecked = 0;
    try {
      const removed = await store.pruneLogEntriesOf?.(DENIAL, MAX_KEPT_DENIALS, MAX_BATCH);
      // There may be more, for example of an imported log.
      if (removed === MAX_BATCH) unchecked = PRUNE_AFTER;
    } catch (error) {
      log.warn({ reason: messageOf(error) }, "old log entries were not removed");
    }
  };
}
