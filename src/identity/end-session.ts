import type { Session } from "../db/records.ts";
import type { StoreParts } from "../db/store.ts";
import type { Clock } from "../lib/clock.ts";
import { type ChangeServices, changeAccount } from "./credential-cache.ts";

/** Provides what is needed to end single sessions. */
export interface EndSessionServices extends ChangeServices {
  readonly store: Pick<StoreParts, "sessions">;
  readonly clock: Pick<Clock, "now">;
}

/** Ends a session in the store. Returns whether this call ended the session. */
export const endStoredSession = (
  services: EndSessionServices,
  session: Session,
): Promise<boolean> =>
  changeAccount(services, session.userId, () =>
    services.store.sessions.end(session, new Date(services.clock.now())),
  );
