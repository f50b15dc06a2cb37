import type { AccountPorts, ExtraStore } from "../accounts/account-store.ts";
import { changeExtra } from "../accounts/extras.ts";
import { byOperator, eventOf } from "../events.ts";
import type { Passwords } from "../passwords.ts";
import { type Client, userRequester } from "../requester.ts";
import type { Store, UserId } from "../store.ts";
import type { UserMemory } from "../user-memory.ts";
import { type CheckCodePorts, noteUnreadable } from "./check-code.ts";
import { useCode } from "./code-state.ts";

export interface TurnOffCodesPorts extends CheckCodePorts {
  readonly users: Pick<UserMemory, "forget">;
  readonly store: Pick<Store, "findUser"> & ExtraStore;
  readonly passwords: Pick<Passwords, "verify">;
}

export type TurnOffCodesOutcome =
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
  const { store, users, passwords, codeLimiter, events, log } = ports;
  const user = await store.findUser(userId);
  if (user === undefined) return "no-user";
  if (user.codes === undefined) return "already-off";
  const requester = userRequester(client, userId);
  if (!(await passwords.verify(form.currentPassword, user.passwordHash, requester))) {
    return "current-password-incorrect";
  }
  if (codeLimiter.attempt(userId) === "denied") return "code-incorrect";
  type Outcome = TurnOffCodesOutcome | "wrong" | "unreadable";
  const outcome = await changeExtra<Outcome>(store, user, "codes", (current) => {
    if (current.codes === undefined) return { kind: "keep", outcome: "already-off" };
    const use = useCode(ports, current, form.code);
    if ("next" in use) return { kind: "replace", by: undefined, outcome: "off" };
    return { kind: "keep", outcome: use.kind };
  });
  users.forget(userId);
  if (outcome === "unreadable") noteUnreadable(log, user);
  if (outcome === "unreadable" || outcome === "wrong") return "code-incorrect";
  if (outcome === "off") events.record(eventOf("codes_off", user.username));
  return outcome;
}

/** For a lost phone: the operator turns codes off without one. */
export async function removeCodes(
  { store, record }: Pick<AccountPorts, "store" | "record">,
  username: string,
): Promise<"no-user" | "already-off" | "off"> {
  const user = await store.findUserByUsername(username);
  if (user === undefined) return "no-user";
  const outcome = await changeExtra(store, user, "codes", ({ codes }) =>
    codes === undefined
      ? { kind: "keep", outcome: "already-off" as const }
      : { kind: "replace", by: undefined, outcome: "off" as const },
  );
  if (outcome === "off") await record(byOperator(eventOf("codes_off", username)));
  return outcome;
}
