import "./lib/node-version.ts";
import { defineProvider, type Provider, type ProviderOptions } from "./identity/providers.ts";

export type { Provider, ProviderOptions };

/** Describes a provider that has no name of its own here. */
export interface OidcProviderOptions extends ProviderOptions {
  /** Sets the name in paths, such as `company`. */
  readonly name: string;
  /** Sets the name on buttons. Default: the name. */
  readonly label?: string | undefined;
  readonly issuer: string;
}

/**
 * Lets people sign in with any provider of OpenID Connect. Its addresses and keys are read from its
 * discovery document with the first sign-in.
 *
 * @example
 * ```ts
 * const company = oidc({
 *   name: "company",
 *   issuer: "https://login.example.org",
 *   clientId: "latchkey",
 *   clientSecret: secret,
 * });
 * ```
 */
export const oidc = ({ name, label = name, issuer, ...options }: OidcProviderOptions): Provider =>
  defineProvider({ name, label, protocol: "oidc", issuer }, options);

/**
 * Lets people sign in with Google.
 *
 * @example
 * ```ts
 * const provider = google({ clientId: "1234.apps.googleusercontent.com", clientSecret: secret });
 * ```
 */
export const google = (options: ProviderOptions): Provider =>
  oidc({ name: "google", label: "Google", issuer: "https://accounts.google.com", ...options });

/**
 * Lets people sign in with Apple. The client secret is the signed token that Apple describes.
 *
 * @example
 * ```ts
 * const provider = apple({ clientId: "org.example.home", clientSecret: secret });
 * ```
 */
export const apple = (options: ProviderOptions): Provider =>
  oidc({ name: "apple", label: "Apple", issuer: "https://appleid.apple.com", ...options });

/**
 * Lets the people of one Microsoft Entra tenant sign in.
 *
 * @example
 * ```ts
 * const provider = microsoft({ tenant: "example.org", clientId: "1234", clientSecret: secret });
 * ```
 */
export const microsoft = ({
  tenant,
  ...options
}: ProviderOptions & { readonly tenant: string }): Provider =>
  oidc({
    name: "microsoft",
    label: "Microsoft",
    issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
    ...options,
  });

/**
 * Lets people sign in with GitHub, or with a GitHub of one's own at `issuer`.
 *
 * @example
 * ```ts
 * const provider = github({ clientId: "1234", clientSecret: secret });
 * ```
 */
export const github = ({
  issuer = "https://github.com",
  ...options
}: ProviderOptions & { readonly issuer?: string | undefined }): Provider =>
  defineProvider({ name: "github", label: "GitHub", protocol: "github", issuer }, options);
