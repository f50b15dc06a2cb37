import { userAdded } from "../events.ts";
import { isTooShort } from "../password-length.ts";
import type { User } from "../store.ts";
import type { AccountPorts } from "./account-store.ts";

export type AddUserOutcome =
  | { readonly kind: "username-missing" }
  | { readonly kind: "password-too-short" }
  | { readonly kind: "username-taken" }
  | { readonly kind: "added"; readonly user: User };

export async function addUser(
  { store, passwords, record }: AccountPorts,
  username: string,
  password: string,
): Promise<AddUserOutcome> {
  if (username === "") return { kind: "username-missing" };
  if (isTooShort(password)) return { kind: "password-too-short" };
  const passwordHash = await passwords.hash(password);
  const user = await store.insertUser({ username, passwordHash });
  if (user === undefined) return { kind: "username-taken" };
  await record(userAdded(username));
  return { kind: "added", user };
}
