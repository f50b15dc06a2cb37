import type { Session } from "../db/records.ts";
import type { StoreParts } from "../db/store.ts";
import type { Clock } from "../lib/clock.ts";
import { getErrorMessage } from "../lib/fault.ts";
import { pause } from "../lib/pause.ts";
import type { ServerLog } from "../lib/server-log.ts";
import type { CredentialCache } from "./credential-cache.ts";

/** Provides what is needed to end single sessions. */
interface EndSessionServices {
  readonly store: Pick<StoreParts, "sessions">;
  readonly clock: Pick<Clock, "now">;
  /** The process has a cache if it authenticates requests. */
  readonly credentialCache?: Pick<CredentialCache, "forget">;
}

/** Ends a session in the store. Returns whether this call ended the session. */
export async function endStoredSession(
  { store, clock, credentialCache }: EndSessionServices,
  session: Session,
): Promise<boolean> {
  try {
    return await store.sessions.end(session, new Date(clock.now()));
  } finally {
    // The cache forgets the account even after a failure: the session may have ended, and only the
    // result was lost.
    credentialCache?.forget(session.userId);
  }
}

/** The limit bounds the memory, and the work after an outage. */
const MAX_WAITING_ENDS = 1_000;
const PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;
const CLOSE_WITHIN_MS = 2_000;

/**
 * Holds the sessions that the store could not end at a sign-out. This process refuses these
 * sessions, and ends them in the background as soon as the store answers. They are lost if the
 * process is killed.
 */
export interface WaitingEnds {
  has(id: string): boolean;
  /**
   * Ends a session now. If the store fails, this process refuses the session, and ends it later.
   */
  end(session: Session): Promise<"ended" | "not-ended">;
  /** Tries once more, for two seconds at most, and logs how many sessions were not ended. */
  close(): Promise<void>;
}

interface WaitingEndsServices extends Required<EndSessionServices> {
  readonly log: ServerLog;
}

export function createWaitingEnds(services: WaitingEndsServices): WaitingEnds {
  const waiting = new Map<string, Session>();
  const closing = new AbortController();
  let retrying: Promise<void> | undefined;

  /**
   * Ends all waiting sessions, and stops at the first failure. The failed session is tried last the
   * next time.
   */
  async function endAll(): Promise<void> {
    for (const [id, session] of waiting) {
      try {
        if (session.expiresAt.getTime() > services.clock.now())
          await endStoredSession(services, session);
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
    for (let ms = PAUSE_MS; waiting.size > 0; ms = Math.min(ms * 2, MAX_PAUSE_MS)) {
      await pause(ms, signal);
      if (signal.aborted) break;
      await endAll();
    }
    // This line must stay synchronous with the check of the size, or a session could stay waiting.
    retrying = undefined;
  }

  return {
    has: (id) => waiting.has(id),

    async end(session) {
      if (waiting.has(session.id)) return "not-ended";
      try {
        await endStoredSession(services, session);
        return "ended";
      } catch (error) {
        const isKept = waiting.size < MAX_WAITING_ENDS;
        if (isKept) waiting.set(session.id, session);
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
      const sessions = waiting.size;
      if (sessions > 0) services.log.warn({ sessions }, STAY_VALID);
    },
  };
}

const NOT_ENDED = "a session was not ended: its token stays valid";
const STAY_VALID = "sessions were not ended at their sign-out: their tokens stay valid";
