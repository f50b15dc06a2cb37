import type { Passwords } from "../passwords.ts";
import { type Client, userRequester } from "../requester.ts";
import type { Store, User, UserId } from "../store.ts";
import type { Challenges } from "./challenges.ts";
import { passkeysIn } from "./passkey.ts";

/** Bounds the row of an account. */
export const MAX_PASSKEYS = 20;

export interface BeginPasskeyPorts {
  readonly store: Pick<Store, "findUser">;
  readonly passwords: Pick<Passwords, "verify">;
  readonly challenges: Challenges;
}

export type BeginPasskeyOutcome =
  | { readonly kind: "no-user" }
  | { readonly kind: "current-password-incorrect" }
  | { readonly kind: "too-many" }
  | {
      readonly kind: "begun";
      readonly user: User;
      readonly challenge: string;
      /** The IDs of the account's passkeys: an authenticator that has one makes no other. */
      readonly existing: readonly string[];
    };

/**
 * Asks for the current password, so that a session alone cannot add another way to sign in. The
 * challenge proves to `addPasskey` that it was right.
 */
export async function beginPasskey(
  { store, passwords, challenges }: BeginPasskeyPorts,
  userId: UserId,
  currentPassword: string,
  client: Client,
): Promise<BeginPasskeyOutcome> {
  const user = await store.findUser(userId);
  if (user === undefined) return { kind: "no-user" };
  const requester = userRequester(client, userId);
  if (!(await passwords.verify(currentPassword, user.passwordHash, requester))) {
    return { kind: "current-password-incorrect" };
  }
  const existing = passkeysIn(user.passkeys).map(({ id }) => id);
  if (existing.length >= MAX_PASSKEYS) return { kind: "too-many" };
  const challenge = challenges.issue({ addTo: userId });
  return { kind: "begun", user: { id: user.id, username: user.username }, challenge, existing };
}
