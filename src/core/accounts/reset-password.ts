import { userPasswordSet } from "../events.ts";
import { isTooShort } from "../password-length.ts";
import type { AccountPorts } from "./account-store.ts";

export type ResetPasswordOutcome = "no-user" | "password-too-short" | "reset";

/** For a forgotten password: does not ask for the old one. */
export async function resetPassword(
  { store, passwords, record }: AccountPorts,
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
