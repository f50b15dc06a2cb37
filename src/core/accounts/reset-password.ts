import { eventOf } from "../log/events.ts";
import { isTooShort } from "../passwords/password-length.ts";
import { NO_PASSWORD, type StoredUser, type UserId } from "../records.ts";
import type { AccountPorts } from "./account-ports.ts";

/** What the change has done, or why nothing has changed. */
export type ResetPasswordOutcome = "no-user" | "guest" | "password-too-short" | "reset";

/** For a forgotten password: does not ask for the old one. */
export async function resetPassword(
  { store, passwords, record }: AccountPorts,
  id: UserId,
  password: string,
): Promise<ResetPasswordOutcome> {
  const user = await store.users.find(id);
  if (user === undefined) return "no-user";
  // Guards without a list would admit the guest from then on.
  if (user.passwordHash === NO_PASSWORD) return "guest";
  if (isTooShort(password)) return "password-too-short";
  const hash = await passwords.hash(password);
  let current: StoredUser | undefined = user;
  while (!(await store.users.replaceHash(id, current.passwordHash, hash))) {
    // The user has changed the password in the meantime, or is gone.
    current = await store.users.find(id);
    if (current === undefined) return "no-user";
  }
  await record(eventOf("user_password", { user }));
  return "reset";
}
