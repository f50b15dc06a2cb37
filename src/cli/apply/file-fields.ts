/** Says what a field of the file takes. */
export type FieldKind =
  | { readonly kind: "text" | "texts" | "flag" }
  | { readonly kind: "choice"; readonly values: readonly (string | number)[] };

export type FileField = FieldKind & { readonly about: string };

/** Lists the fields by their names. */
export type FileFields = Readonly<Record<string, FileField>>;

const text = (about: string): FileField => ({ kind: "text", about });
const texts = (about: string): FileField => ({ kind: "texts", about });
const choice = (about: string, ...values: readonly (string | number)[]): FileField => ({
  kind: "choice",
  values,
  about,
});

export const USER_FIELDS: FileFields = {
  username: text("Identifies the user. To rename a user, run latchkey user rename first."),
  groups: texts("All groups of the user; members of admins are administrators."),
  name: text("The name that apps show. An empty text removes it."),
  email: text("The e-mail address that apps get. An empty text removes it."),
  emailVerified: {
    kind: "flag",
    about: "Whether the address was verified. A changed address is unverified without this.",
  },
};

/** The fields have the names and the meanings that they have in the account API. */
export const APP_FIELDS: FileFields = {
  id: text("Identifies the app, and is its client ID."),
  recipe: text("The ID of a recipe, which gives the fields that are left out; it needs url."),
  way: choice("How the app signs in, for a recipe with several.", "oidc", "headers", "proxy"),
  name: text("What people call the app. Needed without a recipe."),
  section: text("The heading under which the launcher shows the app."),
  url: text("Where people open the app. Forward auth finds it by its host."),
  upstream: text("Where a proxy forwards to: scheme, host and port."),
  groups: texts("Who may open the app. An empty list admits all users except guests."),
  factors: choice("2 requires a second factor.", 1, 2),
  clientType: choice(
    "How the app authenticates with OpenID Connect.",
    "confidential",
    "public",
    "none",
  ),
  redirects: texts("All URIs to which a sign-in with OpenID Connect can return."),
  signOutRedirects: texts("All URIs to which a sign-out of the app can return."),
  backchannelUrl: text("Where the app learns that a session has ended."),
  consent: choice("With ask, each person must agree first.", "ask", "none"),
  signing: choice("The algorithm of ID tokens.", "RS256", "ES256"),
  state: choice("Nobody may open an app that is off.", "on", "off"),
  secretFile: text(
    "A file with the client secret: 32 to 255 letters, digits, hyphens, dots, underscores and tildes. A relative path starts at the folder of this file. The secret before it stays valid until the next change.",
  ),
};
