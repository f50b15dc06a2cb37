import type { AccountPorts } from "../accounts/account-ports.ts";
import { type Client, userRequester } from "../limits/requester.ts";
import { byOperator, eventOf } from "../log/events.ts";
import type { Passwords } from "../passwords/passwords.ts";
import type { UserId } from "../records.ts";
import type { CodeStore, UserStore } from "../store.ts";
import { type CheckCodePorts, checkCode } from "./check-code.ts";

export interface TurnOffCodesPorts extends CheckCodePorts {
  readonly store: { readonly users: Pick<UserStore, "find">; readonly codes: CodeStore };
  readonly passwords: Pick<Passwords, "verify">;
}

type TurnOffCodesOutcome =
  | "no-user"
  | "already-off"
  | "current-password-incorrect"
  | "code-incorrect"
  | "off";

/** Needs the password and a code, so that neither alone is a way around the codes. */
export async function turnOffCodes(
  ports: TurnOffCodesPorts,
  userId: UserId,
  form: { readonly currentPassword: string; readonly code: string },
  client: Client,
): Promise<TurnOffCodesOutcome> {
  const { store, passwords, events } = ports;
  const user = await store.users.find(userId);
  if (user === undefined) return "no-user";
  const codes = await store.codes.find(userId);
  if (codes === undefined) return "already-off";
  const requester = userRequester(client, userId);
  if (!(await passwords.verify(form.currentPassword, user.passwordHash, requester))) {
    return "current-password-incorrect";
  }
  if ((await checkCode(ports, { user, codes }, form.code, client)) === "rejected")
    return "code-incorrect";
  if (!(await store.codes.turnOff(userId))) return "already-off";
  events.record(eventOf("codes_off", { user, client }));
  return "off";
}

interface RemoveCodesPorts extends Pick<AccountPorts, "record"> {
  readonly store: { readonly users: Pick<UserStore, "findByName">; readonly codes: CodeStore };
}

/** For a lost phone: the operator turns codes off without one. Also ends what was begun. */
export async function removeCodes(
  { store, record }: RemoveCodesPorts,
  username: string,
): Promise<"no-user" | "already-off" | "off"> {
  const user = await store.users.findByName(username);
  if (user === undefined) return "no-user";
  if (!(await store.codes.turnOff(user.id))) return "already-off";
  await record(byOperator(eventOf("codes_off", { user })));
  return "off";
}
