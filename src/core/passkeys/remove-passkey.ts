import type { Client } from "../limits/requester.ts";
import type { EventLog } from "../log/event-log.ts";
import { eventOf } from "../log/events.ts";
import type { User } from "../records.ts";
import type { PasskeyStore } from "../store.ts";

interface RemovePasskeyPorts {
  readonly store: { readonly passkeys: Pick<PasskeyStore, "remove"> };
  readonly events: Pick<EventLog, "record">;
}

/** Removes a passkey of the user's own, unless it is gone already. Only for a recent sign-in. */
export async function removePasskey(
  { store, events }: RemovePasskeyPorts,
  user: User,
  passkey: string,
  client: Client,
): Promise<void> {
  if (await store.passkeys.remove(user.id, passkey))
    events.record(eventOf("passkey_remove", { user, client }));
}
