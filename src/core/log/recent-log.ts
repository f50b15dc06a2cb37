import type { LogEntry, UserId } from "../records.ts";
import type { LogStore } from "../store.ts";

const RECENT_ENTRIES = 10;

/**
 * Reads the newest entries of a user, newest first, after a flush, which takes 250 ms at most. No
 * user sees the entries of another, nor those that concern no account, such as denied sign-ins.
 */
export async function recentLog(
  store: Pick<LogStore, "newest">,
  events: { flush(): Promise<void> },
  user: UserId,
): Promise<readonly LogEntry[]> {
  await events.flush();
  return store.newest({ userId: user, limit: RECENT_ENTRIES });
}
