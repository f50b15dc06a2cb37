import type { AccountPorts, ExtraStore } from "../accounts/account-store.ts";
import { changeExtra } from "../accounts/extras.ts";
import { type Client, userRequester } from "../limits/requester.ts";
import { byOperator, eventOf } from "../log/events.ts";
import type { Passwords } from "../passwords/passwords.ts";
import type { UserMemory } from "../sessions/user-memory.ts";
import type { Store, UserId } from "../store.ts";
import { type CheckCodePorts, judgeCode } from "./check-code.ts";
import { usesCodes } from "./code-state.ts";

export interface TurnOffCodesPorts extends CheckCodePorts {
  readonly users: Pick<UserMemory, "forget">;
  readonly store: Pick<Store, "findUser"> & ExtraStore;
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
  const { store, users, passwords, events } = ports;
  const user = await store.findUser(userId);
  if (user === undefined) return "no-user";
  if (!usesCodes(user.codes)) return "already-off";
  const requester = userRequester(client, userId);
  if (!(await passwords.verify(form.currentPassword, user.passwordHash, requester))) {
    return "current-password-incorrect";
  }
  const judged = await judgeCode(ports, user, form.code, () => undefined);
  users.forget(userId);
  switch (judged) {
    case "no-user":
      return judged;
    case "off":
      return "already-off";
    case "wrong":
      return "code-incorrect";
    case "code":
    case "recovery-code":
      events.record(eventOf("codes_off", user.username, user.id));
      return "off";
  }
}

/** For a lost phone: the operator turns codes off without one. Also ends what was begun. */
export async function removeCodes(
  { store, record }: Pick<AccountPorts, "store" | "record">,
  username: string,
): Promise<"no-user" | "already-off" | "off"> {
  const user = await store.findUserByUsername(username);
  if (user === undefined) return "no-user";
  const outcome = await changeExtra(store, user, "codes", ({ codes }) => ({
    kind: "replace",
    by: undefined,
    outcome: usesCodes(codes) ? ("off" as const) : ("already-off" as const),
  }));
  if (outcome === "off") await record(byOperator(eventOf("codes_off", username, user.id)));
  return outcome;
}
