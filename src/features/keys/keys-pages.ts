import type { Form } from "../../http/form.ts";
import type { Answer } from "../../http/responses.ts";
import { readSession } from "../../http/session-cookie.ts";
import type { AccountFormProblem, AccountFormResult } from "../account-form.ts";
import type { UserContext } from "../context.ts";
import { redirectToSection } from "../redirects.ts";
import { type AddKeyOutcome, addKey, revokeKey } from "./manage-keys.ts";

const DAY_SECONDS = 86_400;
const DAYS = [30, 90, 365];

const problems: Readonly<Record<Exclude<AddKeyOutcome["kind"], "added">, AccountFormProblem>> = {
  "name-missing": { form: "keys", message: "fieldMissing", fields: ["key_name"] },
  "name-invalid": { form: "keys", message: "nameInvalid", fields: ["key_name"] },
  "host-invalid": { form: "keys", message: "hostInvalid", fields: ["key_hosts"] },
  "too-many": { form: "keys", message: "tooMany", fields: ["key_name"] },
};

/** Adds an API key. Only the response to this form shows the new key. */
export async function postAddKey(context: UserContext, form: Form): Promise<AccountFormResult> {
  const days = DAYS.find((choice) => `${choice}` === form("days")) ?? 365;
  const lifetime = form("days") === "never" ? "never" : days * DAY_SECONDS;
  const hosts = form("hosts").match(/[^\s,]+/g) ?? [];
  // An API key must not open anything that the session that adds it could not open.
  const factors = readSession(context.rules, context.request)?.factors;
  const limits = form("hosts") === "" ? {} : { hosts };
  const key = { name: form("name"), ...limits, lifetime, factors } as const;
  const outcome = await addKey(context.rules, context.user, key, context.client);
  return outcome.kind === "added"
    ? { kind: "step", madeKey: outcome.text }
    : { kind: "problem", problem: problems[outcome.kind] };
}

export async function postRevokeKey(context: UserContext, form: Form): Promise<Answer> {
  await revokeKey(context.rules, form("key"), context.user, context.client);
  return redirectToSection("keys", context, { notice: "keyIsRevoked" });
}
