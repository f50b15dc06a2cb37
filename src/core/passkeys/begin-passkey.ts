import { type CheckCodePorts, checkCode } from "../codes/check-code.ts";
import { type Client, userRequester } from "../limits/requester.ts";
import type { Passwords } from "../passwords/passwords.ts";
import { type User, type UserId, userOf } from "../records.ts";
import type { PasskeyStore, UserStore } from "../store.ts";
import type { Challenges } from "./challenges.ts";

/** What an account holder enters again. The code is empty for an account without codes. */
interface Reauthentication {
  readonly currentPassword: string;
  readonly code: string;
}

/** Of one account. */
export const MAX_PASSKEYS = 20;

interface BeginPasskeyPorts extends CheckCodePorts {
  readonly store: CheckCodePorts["store"] & {
    readonly users: Pick<UserStore, "find">;
    readonly passkeys: Pick<PasskeyStore, "listOf">;
  };
  readonly passwords: Pick<Passwords, "verify">;
  readonly challenges: Challenges;
}

type BeginPasskeyOutcome =
  | { readonly kind: "no-user" }
  | { readonly kind: "current-password-incorrect" }
  | { readonly kind: "code-incorrect" }
  | { readonly kind: "too-many" }
  | {
      readonly kind: "begun";
      readonly user: User;
      readonly challenge: string;
      /** The IDs of the account's passkeys: an authenticator that has one makes no other. */
      readonly existing: readonly string[];
    };

/**
 * Asks for what a sign-in asks for, so that a session alone cannot add another way to sign in, and
 * the password alone no way around one-time codes. The challenge proves to `addPasskey` that it was
 * right.
 */
export async function beginPasskey(
  ports: BeginPasskeyPorts,
  userId: UserId,
  { currentPassword, code }: Reauthentication,
  client: Client,
): Promise<BeginPasskeyOutcome> {
  const { store, passwords, challenges } = ports;
  const user = await store.users.find(userId);
  if (user === undefined) return { kind: "no-user" };
  const requester = userRequester(client, userId);
  if (!(await passwords.verify(currentPassword, user.passwordHash, requester))) {
    return { kind: "current-password-incorrect" };
  }
  const existing = (await store.passkeys.listOf(userId)).map(({ id }) => id);
  if (existing.length >= MAX_PASSKEYS) return { kind: "too-many" };
  const codes = await store.codes?.find(userId);
  if ((await checkCode(ports, { user, codes }, code, client)) === "rejected")
    return { kind: "code-incorrect" };
  const challenge = challenges.issue({ addTo: userId });
  return { kind: "begun", user: userOf(user), challenge, existing };
}
