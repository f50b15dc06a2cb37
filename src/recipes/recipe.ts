/**
 * Says how an app gets its sign-in from Latchkey. Each recipe is a file in `recipes`, and
 * `recipe.schema.json` there describes every field.
 */
export interface Recipe {
  readonly name: string;
  readonly summary: string;
  /** The launcher shows the app under this heading. */
  readonly section: string;
  /** The app begins a sign-in when this path of it is opened. */
  readonly start?: string;
  /** Says what is not certain. This is absent if everything was confirmed. */
  readonly unconfirmed?: string;
  readonly sources: readonly { readonly url: string; readonly version: string }[];
  /** Lists the ways to sign in, the best first. */
  readonly ways: readonly [Way, ...Way[]];
  /** Lists what the proxy leaves open because the app guards it itself. */
  readonly publicPaths?: readonly { readonly path: string; readonly why: string }[];
  readonly phone?: string;
  readonly notes?: readonly string[];
}

export type Way = OidcWay | HeadersWay | ProxyWay;

/** The app is a client of OpenID Connect. */
export interface OidcWay {
  readonly way: "oidc";
  /** The app's own word for it. */
  readonly callsIt?: string;
  readonly client: "client_secret_basic" | "client_secret_post" | "public";
  readonly pkce: "always" | "when set" | "never";
  readonly signing?: "ES256";
  readonly redirects: readonly string[];
  readonly signOutRedirects?: readonly string[];
  readonly backchannel?: string;
  readonly scopes: readonly string[];
  readonly claims: Readonly<Partial<Record<ClaimName, ClaimUse>>>;
  readonly groups?: string;
  readonly library?: { readonly name: string; readonly from: string };
  readonly enter: readonly Entry[];
}

/** The app reads the name of the user from a header that the proxy sets. */
export interface HeadersWay {
  readonly way: "headers";
  readonly callsIt?: string;
  readonly headers: Readonly<Record<string, "username" | "groups" | "name" | "email">>;
  readonly trusts: string;
  readonly enter: readonly Entry[];
}

/** The proxy alone guards the app. */
export interface ProxyWay {
  readonly way: "proxy";
  /** Says what happens with the app's own sign-in. */
  readonly own: "stays" | "turned off" | "none";
  readonly enter: readonly Entry[];
}

export type ClaimName =
  | "sub"
  | "preferred_username"
  | "name"
  | "email"
  | "email_verified"
  | "groups";

export interface ClaimUse {
  readonly need: "required" | "optional";
  readonly use: string;
}

/** Says what an administrator enters in one place of the app. */
export type Entry =
  | { readonly environment: Readonly<Record<string, string>> }
  | { readonly file: string; readonly lines: readonly string[] }
  | { readonly page: string; readonly fields: Readonly<Record<string, string>> }
  | { readonly command: readonly string[] }
  | { readonly step: string };

/** Contains what replaces the placeholders of a recipe. */
export interface RecipeValues {
  /** The address of the app. */
  readonly url: string;
  /** The address of Latchkey. */
  readonly issuer: string;
  readonly clientId: string;
  /** A public client has none. */
  readonly clientSecret: string | undefined;
}
