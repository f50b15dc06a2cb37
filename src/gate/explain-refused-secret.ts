import { findWeakSecrets } from "../identity/secrets.ts";
import { explainSecretRefusal, IN_PRODUCTION } from "../settle-options.ts";
import { findReachFields, type REACH_FIELDS } from "./reach.ts";
import { SECRET_SETTINGS, type Settings } from "./settings/settings.ts";
import { getSettingName } from "./settings/table.ts";

type SecretSettings = "nodeEnv" | "secret" | "previousSecrets" | (typeof REACH_FIELDS)[number];

/**
 * Explains why the gate does not start with its secrets, or returns `undefined` if it does. With
 * the built-in secret, any client that reaches the gate can forge a session for any account.
 */
export function explainRefusedSecret(settings: Pick<Settings, SecretSettings>): string | undefined {
  const weak = findWeakSecrets(settings);
  const isProduction = settings.nodeEnv === "production";
  const refused = isProduction ? weak[0] : weak.find(({ isBuiltIn }) => isBuiltIn);
  const reaching = findReachFields(settings).map(getSettingName).join(", ");
  if (refused === undefined || (!isProduction && reaching === "")) return undefined;
  const when = isProduction ? IN_PRODUCTION : `for a gate that others can reach (${reaching})`;
  return explainSecretRefusal(refused, when, SECRET_SETTINGS);
}
