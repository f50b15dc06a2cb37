import type { Session } from "../db/records.ts";
import { getErrorMessage } from "../lib/fault.ts";
import { pause } from "../lib/pause.ts";
import type { ServerLog } from "../lib/server-log.ts";
import { type EndSessionServices, endStoredSession } from "./end-session.ts";

/** The limit bounds the memory, and the work after an outage. */
const MAX_PENDING = 1_000;
const PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;
const CLOSE_WITHIN_MS = 2_000;

/**
 * Holds the sessions that the store could not end at a sign-out. This process refuses these
 * sessions, and ends them in the background as soon as the store answers. They are lost if the
 * process is killed.
 */
export interface PendingSignOuts {
  /** Returns whether the session is signed out here and has not ended in the store yet. */
  has(id: string): boolean;
  /**
   * Ends a session now. If the store fails, this process refuses the session, and ends it later.
   */
  end(session: Session): Promise<"ended" | "not-ended">;
  /** Tries once more, for two seconds at most, and logs how many sessions were not ended. */
  close(): Promise<void>;
}

interface PendingSignOutsServices extends EndSessionServices {
  readonly log: ServerLog;
}

export function createPendingSignOuts(services: PendingSignOutsServices): PendingSignOuts {
  const pending = new Map<string, Session>();
  const closing = new AbortController();
  let retrying: Promise<void> | undefined;

  /**
   * Ends all pending sessions, and stops at the first failure. The failed session is tried last the
   * next time.
   */
  async function endAll(): Promise<void> {
    for (const [id, session] of pending) {
      try {
        if (session.expiresAt.getTime() > services.clock.now())
          await endStoredSession(services, session);
        pending.delete(id);
      } catch {
        pending.delete(id);
        pending.set(id, session);
        return;
      }
    }
  }

  async function retry(): Promise<void> {
    const { signal } = closing;
    for (let ms = PAUSE_MS; pending.size > 0; ms = Math.min(ms * 2, MAX_PAUSE_MS)) {
      await pause(ms, signal);
      if (signal.aborted) break;
      await endAll();
    }
    // This line must stay synchronous with the check of the size, or a session could stay pending.
    retrying = undefined;
  }

  return {
    has: (id) => pending.has(id),

    async end(session) {
      if (pending.has(session.id)) return "not-ended";
      try {
        await endStoredSession(services, session);
        return "ended";
      } catch (error) {
        const isKept = pending.size < MAX_PENDING;
        if (isKept) pending.set(session.id, session);
        // Requests look the session up again, and find it here.
        services.credentialCache.forget(session.userId);
        retrying ??= retry();
        const fields = { userId: session.userId, reason: getErrorMessage(error) };
        services.log.warn(fields, isKept ? "a session was not ended yet: trying again" : NOT_ENDED);
        return "not-ended";
      }
    },

    async close() {
      closing.abort();
      const last = Promise.resolve(retrying).then(endAll);
      await Promise.race([last, pause(CLOSE_WITHIN_MS)]);
      const sessions = pending.size;
      if (sessions > 0) services.log.warn({ sessions }, STAY_VALID);
    },
  };
}

const NOT_ENDED = "a session was not ended: its token stays valid";
const STAY_VALID = "sessions were not ended at their sign-out: their tokens stay valid";
