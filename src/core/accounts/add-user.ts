import { eventOf } from "../log/events.ts";
import { isTooShort } from "../passwords/password-length.ts";
import { type NewUser, UNSET_PASSWORD, type User } from "../records.ts";
import type { SetupTokenSource } from "../setup/setup-token.ts";
import type { AccountPorts } from "./account-ports.ts";

/** What the change has done, or why nothing has changed. */
export type AddUserOutcome =
  | { readonly kind: "username-missing" }
  | { readonly kind: "password-too-short" }
  | { readonly kind: "username-taken" }
  /** The first account cannot end: nobody could sign in after that. */
  | { readonly kind: "first-ends" }
  | { readonly kind: "added"; readonly user: User };

export interface AddUserPorts extends AccountPorts {
  readonly setupToken: Pick<SetupTokenSource, "delete">;
}

/**
 * The first account closes the setup, so its token is deleted as after a setup.
 *
 * @param password Without it, the account has none until it is set.
 */
export async function addUser(
  { store, passwords, setupToken, record }: AddUserPorts,
  username: string,
  password: string | undefined,
  { groups = [], endsAt }: Pick<NewUser, "groups" | "endsAt"> = {},
): Promise<AddUserOutcome> {
  if (username === "") return { kind: "username-missing" };
  if (password !== undefined && isTooShort(password)) return { kind: "password-too-short" };
  const isFirst = !(await store.users.any());
  if (isFirst && endsAt !== undefined) return { kind: "first-ends" };
  const passwordHash = password === undefined ? UNSET_PASSWORD : await passwords.hash(password);
  const user = await store.users.insert({
    username,
    passwordHash,
    ...(groups.length > 0 && { groups }),
    ...(endsAt && { endsAt }),
  });
  if (user === undefined) return { kind: "username-taken" };
  if (isFirst) await setupToken.delete();
  await record(eventOf("user_add", { user }));
  return { kind: "added", user };
}
