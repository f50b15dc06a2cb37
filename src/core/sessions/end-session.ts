import type { UserId } from "../store.ts";
import { addEndedSessions, type EndSessionPorts } from "./add-ended-sessions.ts";

/** Ends a session of the user. A session of another user is `no-session`, like an unknown one. */
export async function endSession(
  ports: EndSessionPorts,
  userId: UserId,
  session: string,
): Promise<"no-session" | "ended"> {
  const found = await ports.store.findSession(session);
  if (found === undefined || found.userId !== userId) return "no-session";
  const user = await ports.store.findUser(userId);
  if (user === undefined) return "no-session";
  await addEndedSessions(ports, user, [found]);
  return "ended";
}
