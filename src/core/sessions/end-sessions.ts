import type { AccountPorts } from "../accounts/account-ports.ts";
import type { Clock } from "../base/clock.ts";
import { eventOf } from "../log/events.ts";
import type { UserId } from "../records.ts";
import type { VerifiedToken } from "./session-token.ts";

/** Sessions end even if the clock of the issuing instance is this far ahead. */
export const CLOCK_MARGIN_SECONDS = 120;

type EndSessionsPorts = Omit<AccountPorts, "passwords">;

/** Ends every session of the user that was issued up to now. */
export async function endSessionsOf(
  { store, clock, record }: EndSessionsPorts,
  id: UserId,
): Promise<"no-user" | "ended"> {
  const user = await store.users.find(id);
  if (user === undefined) return "no-user";
  if ((await store.users.endSessions(id, nextSecond(clock))) === undefined) return "no-user";
  await record(eventOf("user_sign_out", { user }));
  return "ended";
}

/** Ends every session of every user, and returns the number of users. */
export async function endAllSessions({ store, clock, record }: EndSessionsPorts): Promise<number> {
  const users = await store.users.endAllSessions(nextSecond(clock));
  await record(eventOf("user_sign_out_all", {}));
  return users;
}

/** Tokens have a time in whole seconds, so sessions of the current second end as well. */
export const nextSecond = ({ now }: Pick<Clock, "now">): number => Math.floor(now() / 1000) + 1;

/**
 * The largest `sessionsFrom` of its user with which a session has not ended. Within the margin the
 * time of issue does not decide, so a token records the user's `sessionsFrom` at the sign-in.
 */
export const validUpTo = (token: Pick<VerifiedToken, "issuedAt" | "sessionsFrom">): number =>
  Math.max(token.sessionsFrom, token.issuedAt - CLOCK_MARGIN_SECONDS);
