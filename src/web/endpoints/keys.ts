import type { KeyRules, OwnFormEndpoint } from "../ports.ts";
import { clientOf } from "../request/remote-address.ts";
import { backTo } from "./back-to.ts";
import { answerProblem, answerStep } from "./home.ts";

const DAY_MS = 86_400_000;

/** The response to the form is the only page that shows the new key. */
export const postAddKey =
  (keys: KeyRules): OwnFormEndpoint =>
  async (ports, request, form) => {
    const days = form("days");
    const lifetime = days === "never" ? undefined : (DAYS.get(days) ?? 365) * DAY_MS;
    const key = { name: form("name"), hosts: form("hosts"), lifetime };
    const outcome = await keys.add(request.user, key, clientOf(request, ports.proxies));
    switch (outcome.kind) {
      case "name-missing":
        return answerProblem(ports, request, {
          ...{ form: "keys", message: "fieldMissing", fields: ["key_name"] },
        });
      case "host-invalid":
        return answerProblem(ports, request, {
          ...{ form: "keys", message: "hostInvalid", fields: ["key_hosts"] },
        });
      case "too-many":
        return answerProblem(ports, request, {
          ...{ form: "keys", message: "tooManyKeys", fields: ["key_name"] },
        });
      case "added":
        return answerStep(ports, request, { madeKey: outcome.text });
    }
  };

/** What the form offers. */
const DAYS = new Map([30, 90, 365].map((days) => [String(days), days]));

export const postRevokeKey =
  (keys: KeyRules): OwnFormEndpoint =>
  async (ports, request, form) => {
    await keys.revoke(form("key"), request.user, clientOf(request, ports.proxies));
    return backTo("keys", ports, request, { notice: "keyIsRevoked" });
  };
