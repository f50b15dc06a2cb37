import type { Clock } from "../base/clock.ts";
import { CLOCK_MARGIN_SECONDS } from "./end-sessions.ts";
import type { VerifiedToken } from "./session-token.ts";

const RECENT_SECONDS = 600;

/**
 * Whether the user of the session has signed in within the last ten minutes, which confirms a change
 * of how the account signs in. A token without a time of issue has the time 0 and is never recent,
 * whatever the clock shows. Neither is one from further ahead than clocks of instances may differ.
 */
export function isRecentSignIn(
  { issuedAt }: Pick<VerifiedToken, "issuedAt">,
  { now }: Pick<Clock, "now">,
): boolean {
  const age = now() / 1_000 - issuedAt;
  return issuedAt > 0 && age < RECENT_SECONDS && age > -CLOCK_MARGIN_SECONDS;
}
