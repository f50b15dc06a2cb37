import { type AddKeyOutcome, addKey, revokeKey } from "../../core/keys/own-keys.ts";
import { sessionOf } from "../answers/session-cookie.ts";
import type { PartEndpoint } from "../ports.ts";
import { answerForm, type HomeFormProblem } from "./home.ts";
import { backTo } from "./redirects.ts";

type KeysEndpoint = PartEndpoint<"keys">;

const DAY_SECONDS = 86_400;
const DAYS = [30, 90, 365];

const problems: Readonly<Record<Exclude<AddKeyOutcome["kind"], "added">, HomeFormProblem>> = {
  "name-missing": { form: "keys", message: "fieldMissing", fields: ["key_name"] },
  "name-invalid": { form: "keys", message: "nameInvalid", fields: ["key_name"] },
  "host-invalid": { form: "keys", message: "hostInvalid", fields: ["key_hosts"] },
  "too-many": { form: "keys", message: "tooMany", fields: ["key_name"] },
};

/** The response to the form is the only page that shows the new key. */
export const postAddKey: KeysEndpoint = (ports) => async (visit, form) => {
  const days = DAYS.find((one) => `${one}` === form("days")) ?? 365;
  const lifetime = form("days") === "never" ? "never" : days * DAY_SECONDS;
  const hosts = form("hosts").match(/[^\s,]+/g) ?? [];
  // A key must not open what its session could not.
  const factors = sessionOf(visit.rules, visit.request)?.factors;
  const limits = form("hosts") === "" ? {} : { hosts };
  const key = { name: form("name"), ...limits, lifetime, factors } as const;
  const outcome = await addKey(ports, visit.request.user, key, visit.client);
  return outcome.kind === "added"
    ? answerForm(visit, { madeKey: outcome.text })
    : answerForm(visit, { problem: problems[outcome.kind] });
};

export const postRevokeKey: KeysEndpoint = (ports) => async (visit, form) => {
  await revokeKey(ports, form("key"), visit.request.user, visit.client);
  return backTo("keys", visit, { notice: "keyIsRevoked" });
};
