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

/** The rule of the password change, in the order of its checks. */
export async function changePassword(
  ports: ChangePasswordPorts,
  userId: UserId,
  form: ChangePasswordForm,
  client: Client,
): Promise<ChangePasswordOutcome> {
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
  // Another request has changed the hash, perhaps to a newer one of the same password.
  if (!replaced) return changePassword(ports, userId, form, client);
  ports.events.record(eventOf("password_change", { user, client }));
  return { kind: "changed" };
}
