import { weakSecrets } from "../core/sessions/secrets.ts";
import { IN_PRODUCTION, secretRefusal } from "../settle-options.ts";
import { type REACH_FIELDS, reachingFields } from "./reach.ts";
import { SECRET_SETTINGS, type Settings } from "./settings/settings.ts";
import { nameOf } from "./settings/table.ts";

type Given = "nodeEnv" | "secret" | "previousSecrets" | (typeof REACH_FIELDS)[number];

/**
 * Why the gate does not start with its secrets; `undefined` if it does. With the built-in secret,
 * whoever can reach the gate can make a session for any account.
 */
export function refusedSecret(settings: Pick<Settings, Given>): string | undefined {
  const weak = weakSecrets(settings);
  const isProduction = settings.nodeEnv === "production";
  const refused = isProduction ? weak[0] : weak.find(({ isBuiltIn }) => isBuiltIn);
  const reaching = reachingFields(settings).map(nameOf).join(", ");
  if (refused === undefined || (!isProduction && reaching === "")) return undefined;
  const when = isProduction ? IN_PRODUCTION : `for a gate that others can reach (${reaching})`;
  return secretRefusal(refused, when, SECRET_SETTINGS);
}
