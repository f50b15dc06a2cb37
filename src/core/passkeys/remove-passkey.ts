import type { Client } from "../limits/requester.ts";
import type { EventLog } from "../log/event-log.ts";
import { eventOf } from "../log/events.ts";
import type { UserId } from "../records.ts";
import type { PasskeyStore, UserStore } from "../store.ts";

interface RemovePasskeyPorts {
  readonly store: {
    readonly users: Pick<UserStore, "find">;
    readonly passkeys: Pick<PasskeyStore, "remove">;
  };
  readonly events: Pick<EventLog, "record">;
}

/** `removed` also for a passkey that the account does not have, such as one just removed. */
type RemovePasskeyOutcome = "no-user" | "removed";

/** Removes a passkey of the user's own, by its ID. Only for a recent sign-in. */
export async function removePasskey(
  { store, events }: RemovePasskeyPorts,
  userId: UserId,
  passkey: string,
  client: Client,
): Promise<RemovePasskeyOutcome> {
  const user = await store.users.find(userId);
  if (user === undefined) return "no-user";
  if (await store.passkeys.remove(userId, passkey))
    events.record(eventOf("passkey_remove", { user, client }));
  return "removed";
}
