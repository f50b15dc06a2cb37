import type { UserId } from "../store.ts";
import { addEndedSessions, type EndSessionPorts } from "./add-ended-sessions.ts";

/** Ends a session of the user. A session of another user is `no-session`, like an unknown one. */
export async function endSession(
  ports: EndSessionPorts,
  user: UserId,
  session: string,
): Promise<"no-session" | "ended"> {
  const found = await ports.store.findSession(session);
  if (found === undefined || found.userId !== user) return "no-session";
  await addEndedSessions(ports, user, [found]);
  return "ended";
}
