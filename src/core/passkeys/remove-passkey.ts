import { type Client, userRequester } from "../limits/requester.ts";
import type { EventLog } from "../log/event-log.ts";
import { eventOf } from "../log/events.ts";
import type { Passwords } from "../passwords/passwords.ts";
import type { UserId } from "../records.ts";
import type { PasskeyStore, UserStore } from "../store.ts";

interface RemovePasskeyPorts {
  readonly store: {
    readonly users: Pick<UserStore, "find">;
    readonly passkeys: Pick<PasskeyStore, "remove">;
  };
  readonly passwords: Pick<Passwords, "verify">;
  readonly events: Pick<EventLog, "record">;
}

/** `removed` also for a passkey that the account does not have, such as one just removed. */
type RemovePasskeyOutcome = "no-user" | "current-password-incorrect" | "removed";

/** Removes a passkey of the user's own, by its ID. */
export async function removePasskey(
  { store, passwords, events }: RemovePasskeyPorts,
  userId: UserId,
  form: { readonly passkey: string; readonly currentPassword: string },
  client: Client,
): Promise<RemovePasskeyOutcome> {
  const user = await store.users.find(userId);
  if (user === undefined) return "no-user";
  const requester = userRequester(client, userId);
  if (!(await passwords.verify(form.currentPassword, user.passwordHash, requester))) {
    return "current-password-incorrect";
  }
  if (await store.passkeys.remove(userId, form.passkey))
    events.record(eventOf("passkey_remove", { user, client }));
  return "removed";
}
