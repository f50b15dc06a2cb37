import type { Provider } from "../identity/providers.ts";
import type { HostRule } from "../lib/allowed-hosts.ts";
import type { Meter } from "../lib/meter.ts";
import type { Locale } from "../pages/words.ts";
import type { PostLoginLocation } from "./location.ts";

/** Contains the options of the library and the gate that concern requests and pages. */
export interface WebOptions {
  readonly postLoginLocation: PostLoginLocation;
  readonly standalone: boolean;
  readonly returnDomains: readonly string[];
  readonly apps: "any" | "only";
  readonly hosts: HostRule & { readonly trustedOrigins: readonly string[] };
  readonly guards: {
    readonly returnTo: boolean;
    readonly onDenied: "redirect" | "negotiate";
    readonly keys: boolean;
  };
  readonly signIn: {
    readonly codes: boolean;
    readonly passkeys: boolean;
    readonly rememberDevice: boolean;
    /** People can sign in with their accounts at these providers. */
    readonly with: readonly Provider[];
    /** The sign-in page leads to this provider at once. */
    readonly first: string | undefined;
    readonly signUp: {
      readonly mode: "off" | "approval" | "open";
      readonly domains?: readonly string[] | undefined;
    };
  };
  readonly sessions: { readonly list: boolean };
  readonly people: boolean;
  /** Serves the paths for an app's own forms. */
  readonly api: boolean;
  /** Makes Latchkey send mail. */
  readonly mail: object | undefined;
  /** Makes apps able to use OpenID Connect. */
  readonly oidc: object | undefined;
  /** Without `locale`, the language of a page follows the browser. */
  readonly pages: { readonly appName: string; readonly locale: Locale | undefined };
  readonly meter: Pick<Meter, "countSignIn">;
}
