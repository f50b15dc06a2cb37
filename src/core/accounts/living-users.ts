import type { Clock } from "../base/clock.ts";
import type { StoredUser } from "../records.ts";
import type { Store } from "../store.ts";

/**
 * Returns the same store, in which a user whose account has ended is not found. The rules of sign-in,
 * sessions and passkeys use no other, so that for them the account is removed. It still counts as one.
 */
export const livingUsers = (store: Store, { now }: Pick<Clock, "now">): Store => {
  const { users } = store;
  const unlessEnded = (user: StoredUser | undefined): StoredUser | undefined =>
    user === undefined || hasEnded(user, now()) ? undefined : user;
  return {
    ...store,
    users: {
      ...users,
      find: async (id) => unlessEnded(await users.find(id)),
      findByName: async (username) => unlessEnded(await users.findByName(username)),
    },
  };
};

/** An invalid date has ended. */
export const hasEnded = ({ endsAt }: Pick<StoredUser, "endsAt">, now: number): boolean =>
  endsAt !== undefined && !(endsAt.getTime() > now);
