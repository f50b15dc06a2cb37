import { type Client, userRequester } from "../limits/requester.ts";
import { eventOf } from "../log/events.ts";
import { isTooShort } from "../passwords/password-length.ts";
import type { Ports } from "../ports.ts";
import type { UserId } from "../records.ts";

type ChangePasswordPorts = Ports<"memory" | "passwords" | "events", "users">;

export type ChangePasswordForm = Readonly<
  Record<"currentPassword" | "newPassword" | "confirmPassword", string>
>;

export interface ChangePasswordOutcome {
  readonly kind:
    | "no-user"
    | "field-missing"
    | "current-password-incorrect"
    | "new-passwords-differ"
    | "new-password-too-short"
    | "changed";
}

/**
 * The rule, in the order of its checks. If another request replaces the hash meanwhile, it tries once
 * more: a sign-in may have stored a newer hash of the same password.
 */
export async function changePassword(
  ports: ChangePasswordPorts,
  userId: UserId,
  form: ChangePasswordForm,
  client: Client,
): Promise<ChangePasswordOutcome> {
  const requester = userRequester(client, userId);
  for (let tries = 1; tries <= 2; tries += 1) {
    // From the store, because another process may just have changed the hash.
    const user = await ports.store.users.find(userId);
    if (user === undefined) return { kind: "no-user" };
    if (form.currentPassword === "" || form.newPassword === "") return { kind: "field-missing" };
    if (!(await ports.passwords.verify(form.currentPassword, user.passwordHash, requester))) break;
    if (form.newPassword !== form.confirmPassword) return { kind: "new-passwords-differ" };
    if (isTooShort(form.newPassword)) return { kind: "new-password-too-short" };

    const passwordHash = await ports.passwords.hash(form.newPassword, requester);
    const replaced = await ports.store.users.replaceHash(userId, user.passwordHash, passwordHash);
    ports.memory.forget(userId);
    if (!replaced) continue;
    ports.events.record(eventOf("password_change", { user, client }));
    return { kind: "changed" };
  }
  return { kind: "current-password-incorrect" };
}
