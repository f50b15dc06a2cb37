import type { SessionTokens } from "../session-token.ts";
import type { UserId } from "../store.ts";
import { addEndedSessions, type EndSessionPorts } from "./add-ended-sessions.ts";

export interface SignOutPorts extends EndSessionPorts {
  readonly tokens: Pick<SessionTokens, "verify">;
}

/** Ends the session of a token, recorded or not. A token without an ID cannot be ended by itself. */
export async function signOut(
  ports: SignOutPorts,
  text: string,
): Promise<"no-session" | { readonly ended: UserId }> {
  const token = ports.tokens.verify(text);
  if (token === undefined || token === "forged" || token.jti === undefined) return "no-session";
  const session = { id: token.jti, expiresAt: new Date(token.expiresAt) };
  await addEndedSessions(ports, token.userId, [session]);
  return { ended: token.userId };
}
