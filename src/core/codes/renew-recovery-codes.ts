import type { Client } from "../limits/requester.ts";
import type { EventLog } from "../log/event-log.ts";
import { eventOf } from "../log/events.ts";
import type { User } from "../records.ts";
import type { CodeStore } from "../store.ts";
import { newRecoveryCodes, recoveryHash } from "./recovery-codes.ts";

interface RenewPorts {
  readonly store: { readonly codes: Pick<CodeStore, "renewRecovery"> };
  readonly events: Pick<EventLog, "record">;
}

/** Replaces the recovery codes, used or not. Only for a recent sign-in. `undefined` without codes. */
export async function renewRecoveryCodes(
  { store, events }: RenewPorts,
  user: User,
  client: Client,
): Promise<readonly string[] | undefined> {
  const codes = newRecoveryCodes();
  if (!(await store.codes.renewRecovery(user.id, codes.map(recoveryHash)))) return undefined;
  events.record(eventOf("recovery_codes_new", { user, client }));
  return codes;
}
