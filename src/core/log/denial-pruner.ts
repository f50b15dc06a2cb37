import { messageOf } from "../base/fault.ts";
import type { ServerLog } from "../base/server-log.ts";
import type { NewLogEntry } from "../records.ts";
import type { LogStore } from "../store.ts";
import { DENIAL } from "./events.ts";

/** Denied sign-ins that stay in the audit log: any client can cause them, and so fill the disk. */
export const MAX_KEPT_DENIALS = 10_000;
/** New denials between two checks, since a check takes a millisecond. */
const PRUNE_AFTER = 500;
/** Removed at once: more than `PRUNE_AFTER`, and few enough for a short transaction. */
const MAX_BATCH = 1_000;

/**
 * Returns a function that is called with the entries just written. At the first denial and after
 * every 500, it removes the oldest beyond the newest 10,000. A failure is only logged.
 */
export function createDenialPruner(
  store: Pick<LogStore, "pruneType">,
  log: ServerLog,
): (written: readonly NewLogEntry[]) => Promise<void> {
  let unchecked = PRUNE_AFTER - 1;
  return async (written) => {
    unchecked += written.filter(({ type }) => type === DENIAL).length;
    if (unchecked < PRUNE_AFTER) return;
    unchecked = 0;
    try {
      const removed = await store.pruneType(DENIAL, MAX_KEPT_DENIALS, MAX_BATCH);
      // There may be more, for example of an imported log.
      if (removed === MAX_BATCH) unchecked = PRUNE_AFTER;
    } catch (error) {
      log.warn({ reason: messageOf(error) }, "old log entries were not removed");
    }
  };
}
