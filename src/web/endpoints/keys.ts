import { backTo } from "../answers/notice.ts";
import type { KeyRules, OwnFormEndpoint } from "../ports.ts";
import { clientOf } from "../request/remote-address.ts";
import { answerProblem, answerStep, type HomeFormProblem } from "./home.ts";

const DAY_MS = 86_400_000;
/** What the form offers. */
const DAYS = [30, 90, 365];

const problems: Readonly<Record<"name-missing" | "host-invalid" | "too-many", HomeFormProblem>> = {
  "name-missing": { form: "keys", message: "fieldMissing", fields: ["key_name"] },
  "host-invalid": { form: "keys", message: "hostInvalid", fields: ["key_hosts"] },
  "too-many": { form: "keys", message: "tooMany", fields: ["key_name"] },
};

/** The response to the form is the only page that shows the new key. */
export const postAddKey =
  (keys: KeyRules): OwnFormEndpoint =>
  async (ports, request, form) => {
    const days = DAYS.find((one) => `${one}` === form("days")) ?? 365;
    const lifetime = form("days") === "never" ? undefined : days * DAY_MS;
    const key = { name: form("name"), hosts: form("hosts"), lifetime };
    const outcome = await keys.add(request.user, key, clientOf(request, ports.proxies));
    return outcome.kind === "added"
      ? answerStep(ports, request, { madeKey: outcome.text })
      : answerProblem(ports, request, problems[outcome.kind]);
  };

export const postRevokeKey =
  (keys: KeyRules): OwnFormEndpoint =>
  async (ports, request, form) => {
    await keys.revoke(form("key"), request.user, clientOf(request, ports.proxies));
    return backTo("keys", ports, request, { notice: "keyIsRevoked" });
  };
