import { type Event, userPasswordSet } from "../events.ts";
import { isTooShort } from "../password-length.ts";
import type { Passwords } from "../passwords.ts";
import type { AccountStore } from "./account-store.ts";

export interface ResetPasswordPorts {
  readonly store: Pick<AccountStore, "findUserByUsername" | "setPasswordHash">;
  readonly passwords: Pick<Passwords, "hash">;
  readonly record: (event: Event) => Promise<void>;
}

export type ResetPasswordOutcome = "no-user" | "password-too-short" | "reset";

/** For a forgotten password: does not ask for the old one. */
export async function resetPassword(
  { store, passwords, record }: ResetPasswordPorts,
  username: string,
  password: string,
): Promise<ResetPasswordOutcome> {
  const user = await store.findUserByUsername(username);
  if (user === undefined) return "no-user";
  if (isTooShort(password)) return "password-too-short";
  const outcome = await store.setPasswordHash(user.id, await passwords.hash(password));
  if (outcome === "missing") return "no-user";
  await record(userPasswordSet(username));
  return "reset";
}
