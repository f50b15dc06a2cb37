import type { Clock } from "../base/clock.ts";
import { wrapStore } from "../base/wrap-store.ts";
import type { StoredUser } from "../records.ts";
import type { Store } from "../store.ts";

/**
 * Returns the same store, in which a user whose account has ended is not found. The rules of sign-in,
 * sessions and passkeys use no other, so that for them the account is removed. It still counts as one.
 */
export const livingUsers = <S extends Store>(store: S, clock: Pick<Clock, "now">): S =>
  wrapStore(store, (operation, call) =>
    operation === "users.find" || operation === "users.findByName"
      ? unlessEnded(call, clock)
      : call(),
  );

async function unlessEnded(call: () => unknown, { now }: Pick<Clock, "now">): Promise<unknown> {
  const user = (await call()) as StoredUser | undefined;
  return user && hasEnded(user, now()) ? undefined : user;
}

/** An invalid date has ended. */
export const hasEnded = ({ endsAt }: Pick<StoredUser, "endsAt">, now: number): boolean =>
  endsAt !== undefined && !(endsAt.getTime() > now);
