import type { AccountPorts } from "../accounts/account-ports.ts";
import type { Client } from "../limits/requester.ts";
import type { EventLog } from "../log/event-log.ts";
import { byOperator, eventOf } from "../log/events.ts";
import type { User, UserId } from "../records.ts";
import type { CodeStore, UserStore } from "../store.ts";

interface TurnOffCodesPorts {
  readonly store: { readonly codes: Pick<CodeStore, "turnOff"> };
  readonly events: Pick<EventLog, "record">;
}

/** Only for a recent sign-in, which has asked for the password and a code, or for a passkey. */
export async function turnOffCodes(
  { store, events }: TurnOffCodesPorts,
  user: User,
  client: Client,
): Promise<"already-off" | "off"> {
  if (!(await store.codes.turnOff(user.id))) return "already-off";
  events.record(eventOf("codes_off", { user, client }));
  return "off";
}

interface RemoveCodesPorts extends Pick<AccountPorts, "record"> {
  readonly store: { readonly users: Pick<UserStore, "find">; readonly codes: CodeStore };
}

/** For a lost phone: the operator turns codes off without one. Also ends what was begun. */
export async function removeCodes(
  { store, record }: RemoveCodesPorts,
  userId: UserId,
): Promise<"no-user" | "already-off" | "off"> {
  const user = await store.users.find(userId);
  if (user === undefined) return "no-user";
  if (!(await store.codes.turnOff(userId))) return "already-off";
  await record(byOperator(eventOf("codes_off", { user })));
  return "off";
}
