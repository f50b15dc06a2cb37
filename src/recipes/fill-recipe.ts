import type { OidcWay, Recipe, RecipeValues } from "./recipe.ts";

/** Contains what a recipe says about the app at an address. These are fields of an app. */
export interface RecipeFields {
  readonly name: string;
  readonly section: string;
  readonly url: string;
  readonly clientType?: "confidential" | "public";
  readonly redirects?: readonly string[];
  readonly signOutRedirects?: readonly string[];
  readonly backchannelUrl?: string;
  readonly signing?: "ES256";
}

/** Returns what the recipe says about the app at this address. */
export function createFields(recipe: Recipe, url: string): RecipeFields {
  const way = recipe.ways[0];
  const fields = { name: recipe.name, section: recipe.section, url };
  return way.way === "oidc" ? { ...fields, ...createClientFields(way, url) } : fields;
}

function createClientFields(way: OidcWay, url: string): Partial<RecipeFields> {
  const fill = (pattern: string): string => pattern.replaceAll("{url}", trimSlash(url));
  return {
    clientType: way.client === "public" ? "public" : "confidential",
    redirects: way.redirects.map(fill),
    ...(way.signOutRedirects && { signOutRedirects: way.signOutRedirects.map(fill) }),
    ...(way.backchannel !== undefined && { backchannelUrl: fill(way.backchannel) }),
    ...(way.signing && { signing: way.signing }),
  };
}

/** Returns the recipe with the values in place of the placeholders, in every text. */
export function fillRecipe(recipe: Recipe, values: RecipeValues): Recipe {
  const texts = listValues(values);
  const fill = (text: string): string =>
    // Templates of apps have two braces.
    text.replaceAll(
      /(?<!\{)\{(\w+)\}(?!\})/g,
      (placeholder, name: string) => texts[name] ?? placeholder,
    );
  return mapTexts(recipe, fill) as Recipe;
}

/** Maps every text in a value of JSON. The names of fields stay. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, mapTexts(item, map)] as const);
  return Object.fromEntries(entries);
}

/** Lists the values by the names of their placeholders. */
function listValues({
  url,
  issuer,
  clientId,
  clientSecret,
}: RecipeValues): Readonly<Record<string, string | undefined>> {
  return {
    url: trimSlash(url),
    host: URL.parse(url)?.hostname,
    issuer,
    discovery: `${issuer}/.well-known/openid-configuration`,
    authorization: `${issuer}/oidc/authorize`,
    token: `${issuer}/oidc/token`,
    userinfo: `${issuer}/oidc/userinfo`,
    jwks: `${issuer}/oidc/keys`,
    end_session: `${issuer}/oidc/logout`,
    introspection: `${issuer}/oidc/introspect`,
    // IDs and secrets have only characters that need no encoding here.
    introspection_as_client:
      clientSecret && `${issuer.replace("://", `://${clientId}:${clientSecret}@`)}/oidc/introspect`,
    client_id: clientId,
    client_secret: clientSecret,
    // Only the operator knows where the app sees the proxy.
    proxy: "ADDRESS-OF-THE-PROXY",
  };
}

const trimSlash = (url: string): string => url.replace(/\/$/, "");
