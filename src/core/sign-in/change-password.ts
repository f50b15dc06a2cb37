import { type Client, userRequester } from "../limits/requester.ts";
import { eventOf } from "../log/events.ts";
import { isTooShort } from "../passwords/password-length.ts";
import type { Ports } from "../ports.ts";
import type { UserId } from "../records.ts";

type ChangePasswordPorts = Ports<"users" | "passwords" | "events", "users">;

export interface ChangePasswordForm {
  readonly currentPassword: string;
  readonly newPassword: string;
  readonly confirmPassword: string;
}

export type ChangePasswordOutcome =
  | { readonly kind: "no-user" }
  | { readonly kind: "field-missing" }
  | { readonly kind: "current-password-incorrect" }
  | { readonly kind: "new-passwords-differ" }
  | { readonly kind: "new-password-too-short" }
  | { readonly kind: "changed" };

/**
 * Changes the password. If another request replaces the hash meanwhile, it tries once more: a sign-in
 * may have stored a newer hash of the same password.
 */
export async function changePassword(
  ...given: Parameters<typeof tryToChange>
): Promise<ChangePasswordOutcome> {
  const outcome = (await tryToChange(...given)) ?? (await tryToChange(...given));
  return outcome ?? { kind: "current-password-incorrect" };
}

/** The rule, in the order of its checks. `undefined` if another request has replaced the hash. */
async function tryToChange(
  ports: ChangePasswordPorts,
  userId: UserId,
  form: ChangePasswordForm,
  client: Client,
): Promise<ChangePasswordOutcome | undefined> {
  const requester = userRequester(client, userId);
  // Not from the user memory: another process may just have changed the hash.
  const user = await ports.store.users.find(userId);
  if (user === undefined) return { kind: "no-user" };
  if (form.currentPassword === "" || form.newPassword === "") return { kind: "field-missing" };
  if (!(await ports.passwords.verify(form.currentPassword, user.passwordHash, requester))) {
    return { kind: "current-password-incorrect" };
  }
  if (form.newPassword !== form.confirmPassword) return { kind: "new-passwords-differ" };
  if (isTooShort(form.newPassword)) return { kind: "new-password-too-short" };

  const passwordHash = await ports.passwords.hash(form.newPassword, requester);
  const replaced = await ports.store.users.replaceHash(userId, user.passwordHash, passwordHash);
  ports.users.forget(userId);
  if (!replaced) return undefined;
  ports.events.record(eventOf("password_change", { user, client }));
  return { kind: "changed" };
}
