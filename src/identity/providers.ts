import { Fault } from "../lib/fault.ts";
import { isObject } from "../lib/json.ts";
import { isLoopbackHost } from "../lib/loopback.ts";
import { normalizeGroups } from "./groups.ts";

/** Describes another provider of accounts, with which people sign in here. */
export interface Provider {
  /** Paths, settings and stored identities have this name. */
  readonly name: string;
  /** Buttons show this name. */
  readonly label: string;
  /** GitHub has an API of its own, since it issues no ID tokens for people. */
  readonly protocol: "oidc" | "github";
  readonly issuer: string;
  readonly clientId: string;
  /** A provider that only knows public clients issues no secret. */
  readonly clientSecret: string | undefined;
  /** The groups of a person are read from this claim. */
  readonly groupsClaim: string | undefined;
  /** Maps groups at the provider to groups here. */
  readonly groups: ReadonlyMap<string, string>;
  /** Only members of this group at the provider may sign in. */
  readonly requiredGroup: string | undefined;
  /** Whether a second factor that the provider reports counts here. */
  readonly factors: "trusted" | "ignored";
}

/** Describes a person as a provider does. Only issuer and subject identify the person. */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly username: string | undefined;
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly emailIs: "verified" | "unverified";
  /** Is `undefined` if the provider does not say which groups the person has. */
  readonly groups: readonly string[] | undefined;
  /** The provider says that the person has used a second factor. */
  readonly factors: 1 | 2;
}

/** Contains what a browser must bring back from the provider. */
export interface ProviderChecks {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** With `again`, the provider asks the person to sign in again, also in a running session. */
  readonly prompt: "usual" | "again";
}

/** Speaks the protocol of one provider. Its methods reject if the provider refuses or is away. */
export interface ProviderClient {
  /** Returns where the browser goes. */
  begin(checks: ProviderChecks): Promise<URL>;
  /** Returns who has come back. `url` is the one with which the browser came back. */
  finish(url: URL, checks: ProviderChecks): Promise<ProviderIdentity>;
}

/** Matches the name of a provider. The page for one-time codes has the path of `code`. */
export const PROVIDER_NAME: RegExp = /^(?!code$)[a-z][a-z0-9-]{0,31}$/;

/** Returns whether a value is a provider that `defineProvider` has made. */
export const isProvider = (value: unknown): value is Provider => isObject(value) && made.has(value);

const made = new WeakSet<object>();

/** Contains what an operator says about a provider. */
export interface ProviderOptions {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** Sets the claim that contains the groups of a person. */
  readonly groupsClaim?: string | undefined;
  /** Maps groups at the provider to groups here. They are renewed at each sign-in. */
  readonly groups?: Readonly<Record<string, string>> | undefined;
  /** Admits only members of this group at the provider. */
  readonly requireGroup?: string | undefined;
  /** With `true`, a second factor that the provider reports counts here. Default: false. */
  readonly trustFactor?: boolean | undefined;
}

/**
 * Checks and freezes a provider.
 *
 * @throws {Fault} `invalid_option`
 */
export function defineProvider(
  given: Pick<Provider, "name" | "label" | "protocol" | "issuer">,
  options: ProviderOptions,
): Provider {
  const refuse = (problem: string): never => {
    throw new Fault("invalid_option", `${given.name}: ${problem}`);
  };
  const { clientId, clientSecret, groupsClaim, groups = {}, requireGroup, trustFactor } = options;
  const url = URL.parse(given.issuer);
  const isSafe =
    url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackHost(url.hostname));
  if (!PROVIDER_NAME.test(given.name)) refuse("a name has lower-case letters, digits and hyphens");
  if (!isSafe || url.search !== "" || url.hash !== "") refuse("the issuer must be an https URL");
  if (typeof clientId !== "string" || clientId === "") refuse("the client ID is missing");
  if (clientSecret !== undefined && (typeof clientSecret !== "string" || clientSecret === ""))
    refuse("the client secret is not a text");
  const needsClaim = Object.keys(groups).length > 0 || requireGroup !== undefined;
  if (needsClaim && groupsClaim === undefined) refuse("groups need the claim that contains them");
  if (normalizeGroups(Object.values(groups)) === "invalid")
    refuse("groups here have lower-case letters, digits and hyphens");
  const provider = Object.freeze<Provider>({
    ...given,
    ...{ clientId, clientSecret, groupsClaim },
    groups: new Map(Object.entries(groups)),
    requiredGroup: requireGroup,
    factors: trustFactor === true ? "trusted" : "ignored",
  });
  made.add(provider);
  return provider;
}

/** Finds a provider by its name in a path. */
export const findProvider = (providers: readonly Provider[], name: string): Provider | undefined =>
  providers.find((provider) => provider.name === name);

/** Returns the groups here that a person has through a provider. */
export function mapGroups({ groups }: Provider, identity: ProviderIdentity): readonly string[] {
  const own = (identity.groups ?? []).flatMap((group) => groups.get(group) ?? []);
  return [...new Set(own)];
}

/** Returns whether the provider may let this person in. */
export const isInRequiredGroup = (
  { requiredGroup }: Provider,
  { groups = [] }: ProviderIdentity,
): boolean => requiredGroup === undefined || groups.includes(requiredGroup);
