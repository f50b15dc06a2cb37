import type { AccountPorts } from "../accounts/account-store.ts";
import type { Clock } from "../base/clock.ts";
import { eventOf } from "../log/events.ts";
import type { VerifiedToken } from "./session-token.ts";

/** Sessions end even if the clock of the issuing instance is this far ahead. */
export const CLOCK_MARGIN_SECONDS = 120;

type EndSessionsPorts = Omit<AccountPorts, "passwords">;

/** Ends every session of the user that was issued up to now. */
export async function endSessionsOf(
  { store, clock, record }: EndSessionsPorts,
  username: string,
): Promise<"no-user" | "ended"> {
  const user = await store.findUserByUsername(username);
  if (user === undefined) return "no-user";
  if ((await store.endSessions(user.id, nextSecond(clock))) === undefined) return "no-user";
  await record(eventOf("user_sign_out", username, user.id));
  return "ended";
}

/** Ends every session of every user, and returns the number of users. */
export async function endAllSessions({ store, clock, record }: EndSessionsPorts): Promise<number> {
  const users = await store.endAllSessions(nextSecond(clock));
  await record(eventOf("user_sign_out_all"));
  return users;
}

/** Tokens have a time in whole seconds, so sessions of the current second end as well. */
export const nextSecond = ({ now }: Pick<Clock, "now">): number => Math.floor(now() / 1000) + 1;

/**
 * Whether a session has ended. Within the margin the time of issue does not decide, so a token
 * records the user's `sessionsFrom` at the sign-in.
 */
export function isEnded(
  token: Pick<VerifiedToken, "issuedAt" | "sessionsFrom">,
  sessionsFrom: number,
): boolean {
  if (token.sessionsFrom >= sessionsFrom) return false;
  return token.issuedAt < sessionsFrom + CLOCK_MARGIN_SECONDS;
}
