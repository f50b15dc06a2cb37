import { changeExtra, type ExtraChange, type ExtraChangePorts } from "../accounts/extras.ts";
import { type Client, userRequester } from "../limits/requester.ts";
import type { EventLog } from "../log/event-log.ts";
import { eventOf } from "../log/events.ts";
import type { Passwords } from "../passwords/passwords.ts";
import type { UserId } from "../store.ts";
import { passkeysIn, textOf } from "./passkey.ts";

interface RemovePasskeyPorts {
  readonly store: ExtraChangePorts;
  readonly passwords: Pick<Passwords, "verify">;
  readonly events: Pick<EventLog, "record">;
}

/** `removed` also for a passkey that the account does not have, such as one just removed. */
type RemovePasskeyOutcome = "no-user" | "current-password-incorrect" | "removed";

/** Removes a passkey of the user's own, by its ID. */
export async function removePasskey(
  { store, passwords, events }: RemovePasskeyPorts,
  userId: UserId,
  passkeyId: string,
  currentPassword: string,
  client: Client,
): Promise<RemovePasskeyOutcome> {
  const user = await store.findUser(userId);
  if (user === undefined) return "no-user";
  const requester = userRequester(client, userId);
  if (!(await passwords.verify(currentPassword, user.passwordHash, requester))) {
    return "current-password-incorrect";
  }
  const outcome = await changeExtra(
    store,
    user,
    "passkeys",
    ({ passkeys: text }): ExtraChange<"removed" | "unknown"> => {
      const passkeys = passkeysIn(text);
      const left = passkeys.filter(({ id }) => id !== passkeyId);
      if (left.length === passkeys.length) return { kind: "keep", outcome: "unknown" };
      return { kind: "replace", by: textOf(left), outcome: "removed" };
    },
  );
  if (outcome === "no-user") return outcome;
  if (outcome === "removed") events.record(eventOf("passkey_remove", user.username, userId));
  return "removed";
}
