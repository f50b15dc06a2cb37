import type { EventLog } from "../../audit/event-log.ts";
import { createAuditEvent } from "../../audit/events.ts";
import type { UserId } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { type ChangeServices, changeAccount } from "../../identity/credential-cache.ts";
import { isTooShort } from "../../identity/password-length.ts";
import type { Passwords } from "../../identity/passwords.ts";
import { createUserRequester } from "../../identity/requester.ts";
import type { Client } from "../../lib/client.ts";
import type { Clock } from "../../lib/clock.ts";

interface ChangePasswordServices extends ChangeServices {
  readonly store: Pick<StoreParts, "users">;
  readonly clock: Pick<Clock, "now">;
  readonly passwords: Passwords;
  readonly events: Pick<EventLog, "record">;
}

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
 * Changes the password. The checks run in this order. If another request replaces the hash
 * meanwhile, the function tries once more, because a sign-in may have stored a newer hash of the
 * same password.
 */
export async function changePassword(
  services: ChangePasswordServices,
  userId: UserId,
  form: ChangePasswordForm,
  client: Client,
): Promise<ChangePasswordOutcome> {
  const requester = createUserRequester(client, userId);
  for (let tries = 1; tries <= 2; tries += 1) {
    // The user is read from the store, because another process may have just changed the hash.
    const user = await services.store.users.findActive(userId, new Date(services.clock.now()));
    if (user === undefined) return { kind: "no-user" };
    if (form.currentPassword === "" || form.newPassword === "") return { kind: "field-missing" };
    if (!(await services.passwords.verify(form.currentPassword, user.passwordHash, requester)))
      break;
    if (form.newPassword !== form.confirmPassword) return { kind: "new-passwords-differ" };
    if (isTooShort(form.newPassword)) return { kind: "new-password-too-short" };

    const passwordHash = await services.passwords.hash(form.newPassword, requester);
    const replaced = await changeAccount(services, userId, () =>
      services.store.users.replaceHash(userId, user.passwordHash, passwordHash),
    );
    if (!replaced) continue;
    services.events.record(createAuditEvent("password_change", { user, client }));
    return { kind: "changed" };
  }
  return { kind: "current-password-incorrect" };
}
