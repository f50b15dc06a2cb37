import { type User, type UserId, userOf } from "../records.ts";
import type { PasskeyStore, UserStore } from "../store.ts";
import type { Challenges } from "./challenges.ts";

/** Of one account. */
export const MAX_PASSKEYS = 20;

interface BeginPasskeyPorts {
  readonly store: {
    readonly users: Pick<UserStore, "find">;
    readonly passkeys: Pick<PasskeyStore, "listOf">;
  };
  readonly challenges: Challenges;
}

type BeginPasskeyOutcome =
  | { readonly kind: "no-user" }
  | { readonly kind: "too-many" }
  | {
      readonly kind: "begun";
      readonly user: User;
      readonly challenge: string;
      /** The IDs of the account's passkeys: an authenticator that has one makes no other. */
      readonly existing: readonly string[];
    };

/**
 * Only for a recent sign-in, so that a session alone cannot add another way to sign in. The challenge
 * proves to `addPasskey` that there was one.
 */
export async function beginPasskey(
  { store, challenges }: BeginPasskeyPorts,
  userId: UserId,
): Promise<BeginPasskeyOutcome> {
  const user = await store.users.find(userId);
  if (user === undefined) return { kind: "no-user" };
  const existing = (await store.passkeys.listOf(userId)).map(({ id }) => id);
  if (existing.length >= MAX_PASSKEYS) return { kind: "too-many" };
  const challenge = challenges.issue({ addTo: userId, sessionsFrom: user.sessionsFrom });
  return { kind: "begun", user: userOf(user), challenge, existing };
}
