import { secretProblem, secretWeakness } from "../core/secrets.ts";
import { DEVELOPMENT_SECRET } from "../core/session-token.ts";
import { reachOf } from "../gate/reach.ts";
import type { Check } from "./check.ts";
import { type Finding, hint, orOk, problem } from "./finding.ts";

export const secretCheck: Check = {
  name: "secret",
  settings: ["AUTH_SECRET", "AUTH_SECRET_PREVIOUS"],

  async look(installation) {
    const { settings } = installation;
    // A guessed secret lets an attacker forge sessions: a hint if only this machine is served.
    const grave =
      settings.environment === "production" || reachOf(settings, installation.url) === "others";
    const weak = grave ? problem : hint;
    const given = settings.secret ?? DEVELOPMENT_SECRET;
    return orOk(
      [
        ...(given === DEVELOPMENT_SECRET
          ? [weak(`${WITHOUT}${refused(secretProblem(settings))}`, SET)]
          : weaknessOf("AUTH_SECRET", given, weak)),
        ...settings.previousSecrets.flatMap((one) => weaknessOf("AUTH_SECRET_PREVIOUS", one, weak)),
      ],
      "AUTH_SECRET is set, and nothing speaks for its being guessed",
    );
  },
};

const WITHOUT =
  "AUTH_SECRET is not set: the development secret signs the sessions, and whoever knows it can forge one";

const SET = "set AUTH_SECRET, at every instance to the same: latchkey secret prints a new one";

const refused = (reason: string | undefined): string =>
  reason === undefined ? "" : "; NODE_ENV is production, so the gate does not start";

function weaknessOf(name: string, secret: string, weak: typeof hint): readonly Finding[] {
  const weakness = secretWeakness(secret);
  if (weakness === undefined) return [];
  return [weak(`a secret of ${name} can be guessed: ${weakness}`, REMEDIES[name] ?? SET)];
}

const REMEDIES: Readonly<Record<string, string>> = {
  AUTH_SECRET:
    "set AUTH_SECRET to what latchkey secret prints; everybody has to sign in again, and the old one must not become AUTH_SECRET_PREVIOUS",
  AUTH_SECRET_PREVIOUS:
    "remove it from AUTH_SECRET_PREVIOUS; sessions that it has signed are over then",
};
