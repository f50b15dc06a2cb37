import type { UserId } from "../../db/records.ts";
import type { PendingSignOuts } from "../../identity/pending-sign-outs.ts";
import type { SessionTokens } from "../../identity/session-token.ts";
import { toSession } from "../../identity/start-session.ts";
import type { Client } from "../../lib/client.ts";
import type { Clock } from "../../lib/clock.ts";

export interface SignOutServices {
  readonly tokens: SessionTokens;
  readonly clock: Pick<Clock, "now">;
  readonly pendingSignOuts: Pick<PendingSignOuts, "end">;
}

/**
 * Ends the sessions of a browser, recorded or not. It never throws,
 * because the browser deletes its cookies in any case. A token without an ID cannot be ended alone.
 *
 * @param cookies contains the values of the browser's session cookies.
 * @param onlyUser limits this to the sessions of this user, who has just signed in again.
 */
export async function signOut(
  { tokens, clock, pendingSignOuts }: SignOutServices,
  cookies: readonly string[],
  client: Client,
  onlyUser?: UserId,
): Promise<"ended" | "not-ended"> {
  let outcome: "ended" | "not-ended" = "ended";
  for (const text of cookies) {
    const token = tokens.verify(text);
    if (typeof token !== "object" || (onlyUser ?? token.userId) !== token.userId) continue;
    const { id } = token;
    if (id === undefined) continue;
    const session = toSession({ ...token, id }, clock.now(), client);
    if ((await pendingSignOuts.end(session)) === "not-ended") outcome = "not-ended";
  }
  return outcome;
}
