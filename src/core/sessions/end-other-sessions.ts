import type { UserId } from "../store.ts";
import {
  addEndedSessions,
  type EndSessionPorts,
  MAX_COUNTED_SESSIONS,
} from "./add-ended-sessions.ts";

/** Ends all recorded sessions of the user but one, and returns their number. */
export async function endOtherSessions(
  ports: EndSessionPorts,
  user: UserId,
  keep: string | undefined,
): Promise<number> {
  const now = new Date(ports.clock.now());
  const all = await ports.store.readSessionsOf(user, now, MAX_COUNTED_SESSIONS);
  const others = all.filter(({ id }) => id !== keep);
  if (others.length > 0) await addEndedSessions(ports, user, others);
  return others.length;
}
