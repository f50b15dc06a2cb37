import type { Provider, ProviderOptions } from "../../identity/providers.ts";
import { getErrorMessage } from "../../lib/fault.ts";
import { apple, github, google, oidc } from "../../providers.ts";
import type { NamedEntry } from "./entry.ts";
import * as values from "./values.ts";

const isText = { takes: "a text", completes: "free", parse: (text: string) => text } as const;

/** Lists the settings of one provider, without the prefix that its name is. */
const SUFFIXES = {
  CLIENT_ID: { value: isText, about: "the ID that the provider has given this installation" },
  CLIENT_SECRET: { value: isText, about: "the secret that belongs to it", secret: true },
  ISSUER: { value: values.issuer, about: "the address of the provider" },
  LABEL: { value: isText, about: "the name on the button" },
  GROUPS_CLAIM: { value: isText, about: "the claim that contains the groups of a person" },
  GROUPS: { value: values.groupMap, about: "groups there and here, such as engineering:dev" },
  REQUIRE_GROUP: { value: isText, about: "only members of this group there may sign in" },
  TRUST_FACTOR: {
    value: values.fromWords({ on: true, off: false }),
    about: "whether a second factor there counts here",
  },
} as const;

/** Returns the prefix of the settings of a provider, such as `GOOGLE_`. */
const toPrefix = (name: string): string => `${name.toUpperCase().replaceAll("-", "_")}_`;

/** Returns whether the setting is a secret of a provider. */
export const isProviderSecret = (name: string): boolean => name.endsWith("_CLIENT_SECRET");

/** Lists the names of all settings that the providers have. */
export const listProviderSettings = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) =>
    Object.entries(SUFFIXES).flatMap(([suffix, entry]) => {
      const full = `${toPrefix(name)}${suffix}`;
      return "secret" in entry ? [full, `${full}_FILE`] : [full];
    }),
  );

/** Reads the providers that `SIGN_IN_WITH` names, each from its own settings. */
export function readProviders(
  sources: { readValue(entry: NamedEntry): unknown },
  names: readonly string[],
  addProblem: (message: string) => void,
): readonly Provider[] {
  return names.flatMap((name) => {
    const read = <T>(suffix: keyof typeof SUFFIXES): T | undefined => {
      const entry: NamedEntry = { ...SUFFIXES[suffix], name: `${toPrefix(name)}${suffix}` };
      return sources.readValue(entry) as T | undefined;
    };
    const refuse = (message: string): readonly Provider[] => {
      addProblem(message);
      return [];
    };
    const clientId = read<string>("CLIENT_ID");
    if (clientId === undefined)
      return refuse(`SIGN_IN_WITH names ${name}: set ${toPrefix(name)}CLIENT_ID`);
    const options: ProviderOptions = {
      clientId,
      clientSecret: read("CLIENT_SECRET"),
      groupsClaim: read("GROUPS_CLAIM"),
      groups: read("GROUPS"),
      requireGroup: read("REQUIRE_GROUP"),
      trustFactor: read("TRUST_FACTOR"),
    };
    const [issuer, label] = [read<string>("ISSUER"), read<string>("LABEL")];
    try {
      const provider = create(name, options, issuer, label);
      return provider === undefined
        ? refuse(`SIGN_IN_WITH names ${name}: set ${toPrefix(name)}ISSUER`)
        : [provider];
    } catch (error) {
      return refuse(`SIGN_IN_WITH: ${getErrorMessage(error)}`);
    }
  });
}

/** Returns `undefined` if the provider needs an issuer. */
function create(
  name: string,
  options: ProviderOptions,
  issuer: string | undefined,
  label: string | undefined,
): Provider | undefined {
  if (name === "github") return github({ ...options, issuer });
  if (issuer !== undefined) return oidc({ name, label: label ?? LABELS[name], issuer, ...options });
  if (name === "google") return google(options);
  return name === "apple" ? apple(options) : undefined;
}

const LABELS: Readonly<Record<string, string>> = {
  google: "Google",
  apple: "Apple",
  microsoft: "Microsoft",
};
