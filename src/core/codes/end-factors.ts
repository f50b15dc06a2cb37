import type { AccountPorts } from "../accounts/account-ports.ts";
import { byOperator, eventOf } from "../log/events.ts";
import type { UserId } from "../records.ts";
import { nextSecond } from "../sessions/end-sessions.ts";
import type { CodeStore, UserStore } from "../store.ts";

interface EndFactorsPorts extends Pick<AccountPorts, "clock" | "record"> {
  readonly store: {
    readonly users: Pick<UserStore, "find">;
    readonly codes: Pick<CodeStore, "endFactors">;
  };
}

/**
 * For a user who has lost codes and passkeys: the operator removes both. All sessions end with them,
 * so that neither a lost device nor what was begun there, a passkey or a sign-in, can be used.
 */
export async function endFactors(
  { store, clock, record }: EndFactorsPorts,
  userId: UserId,
): Promise<"no-user" | "ended"> {
  const user = await store.users.find(userId);
  if (user === undefined) return "no-user";
  if (!(await store.codes.endFactors(userId, nextSecond(clock)))) return "no-user";
  await record(byOperator(eventOf("factors_off", { user })));
  return "ended";
}
