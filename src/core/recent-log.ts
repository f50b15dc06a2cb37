import type { EventLog } from "./event-log.ts";
import type { LogEntry, LogReader } from "./store.ts";

const SHOWN = 10;

/** Reads the newest entries, newest first, after a flush, which takes 250 ms at most. */
export function recentLog(
  store: Partial<LogReader>,
  events: EventLog,
): (() => Promise<readonly LogEntry[]>) | undefined {
  const { startOfNewest, readLogEntries } = store;
  if (startOfNewest === undefined || readLogEntries === undefined) return undefined;
  return async () => {
    await events.flush();
    const afterId = await startOfNewest.call(store, SHOWN, {});
    return (await readLogEntries.call(store, { afterId, limit: SHOWN })).toReversed();
  };
}
