import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import type { ServerLog } from "../base/server-log.ts";
import type { Session } from "../records.ts";
import type { UserMemory } from "./user-memory.ts";

/** Bounds the memory, and the work after an outage. */
export const MAX_WAITING_ENDS = 1_000;
const PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;
const CLOSE_WITHIN_MS = 2_000;

/**
 * The sessions that the store could not end at a sign-out. The guards of this process refuse them,
 * and they are ended in the background as soon as the store answers. Lost if the process is killed.
 */
export interface WaitingEnds {
  has(id: string): boolean;
  add(session: Session): "added" | "full";
  /** Tries once more, for two seconds at most, and logs how many sessions were not ended. */
  close(): Promise<void>;
}

/** @param end Ends a session in the store, or throws. */
export function createWaitingEnds(
  end: (session: Session) => Promise<unknown>,
  users: Pick<UserMemory, "forget">,
  clock: Pick<Clock, "now">,
  log: Pick<ServerLog, "warn">,
): WaitingEnds {
  const waiting = new Map<string, Session>();
  const closing = new AbortController();
  let retrying: Promise<void> | undefined;

  /** Stops at the first failure. What has failed is tried last the next time. */
  async function endAll(): Promise<void> {
    for (const [id, session] of waiting) {
      try {
        if (session.expiresAt.getTime() > clock.now()) await end(session);
        waiting.delete(id);
      } catch {
        waiting.delete(id);
        waiting.set(id, session);
        return;
      }
    }
  }

  async function retry(): Promise<void> {
    const { signal } = closing;
    for (let pause = PAUSE_MS; waiting.size > 0; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      await sleep(pause, undefined, { ref: false, signal }).catch(() => {});
      if (signal.aborted) break;
      await endAll();
    }
    // Must stay synchronous with the check of the size, or a session could stay waiting.
    retrying = undefined;
  }

  return {
    has: (id) => waiting.has(id),

    add(session) {
      if (waiting.size >= MAX_WAITING_ENDS) return "full";
      waiting.set(session.id, session);
      // The guards look the session up again, and find it here.
      users.forget(session.userId);
      retrying ??= retry();
      return "added";
    },

    async close() {
      closing.abort();
      const last = Promise.resolve(retrying).then(endAll);
      await Promise.race([last, sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
      const sessions = waiting.size;
      if (sessions > 0) {
        log.warn(
          { sessions },
          "sessions were not ended at their sign-out: their tokens stay valid",
        );
      }
    },
  };
}
