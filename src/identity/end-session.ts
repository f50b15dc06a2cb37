import type { Session } from "../db/records.ts";
import type { StoreParts } from "../db/store.ts";
import type { Clock } from "../lib/clock.ts";
import type { CredentialCache } from "./credential-cache.ts";

/** Provides what is needed to end single sessions. */
export interface EndSessionServices {
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
