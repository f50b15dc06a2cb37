import type { Clock } from "../base/clock.ts";
import type { Session, UserId } from "../records.ts";
import type { SessionStore } from "../store.ts";
import type { UserMemory } from "./user-memory.ts";

/** What ends single sessions. */
export interface EndSessionPorts {
  readonly store: { readonly sessions: SessionStore };
  readonly clock: Pick<Clock, "now">;
  /** Of this process, if it has guards. */
  readonly users?: Pick<UserMemory, "forget">;
}

/** Ends a session of the user. A session of another user is `no-session`, like an unknown one. */
export async function endSession(
  ports: EndSessionPorts,
  userId: UserId,
  id: string,
): Promise<"no-session" | "ended"> {
  const session = await ports.store.sessions.find(id);
  if (session?.userId !== userId) return "no-session";
  return (await endInStore(ports, session)) ? "ended" : "no-session";
}

/** Returns whether this call has ended it. */
export async function endInStore(
  { store, clock, users }: EndSessionPorts,
  session: Session,
): Promise<boolean> {
  try {
    return await store.sessions.end(session, new Date(clock.now()));
  } finally {
    // Also after a failure: the session may have ended, and only the answer was lost.
    users?.forget(session.userId);
  }
}
