import type { AppFields } from "../apps/app-fields.ts";
import type { Entry, OidcWay, Recipe, RecipeValues, Way } from "./recipe.ts";

/** Returns what the recipe says about the app at this address. */
export function createFields(recipe: Recipe, url: string): AppFields {
  const way = recipe.ways[0];
  const fields = { name: recipe.name, section: recipe.section, url };
  return way.way === "oidc" ? { ...fields, ...createClientFields(way, url) } : fields;
}

function createClientFields(way: OidcWay, url: string): AppFields {
  const fill = (pattern: string): string => pattern.replaceAll("{url}", trimSlash(url));
  return {
    clientType: way.client === "public" ? "public" : "confidential",
    redirects: way.redirects.map(fill),
    ...(way.signOutRedirects && { signOutRedirects: way.signOutRedirects.map(fill) }),
    ...(way.backchannel !== undefined && { backchannelUrl: fill(way.backchannel) }),
    ...(way.signing && { signing: way.signing }),
  };
}

/** Returns what to enter in the app, with the values in place of the placeholders. */
export function fillEntries({ enter }: Way, values: RecipeValues): readonly Entry[] {
  const texts = listValues(values);
  const fill = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => texts[name] ?? placeholder);
  const fillAll = (entries: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(entries).map(([name, text]) => [name, fill(text)]));
  return enter.map((entry) => {
    if ("environment" in entry) return { environment: fillAll(entry.environment) };
    if ("file" in entry) return { file: fill(entry.file), lines: entry.lines.map(fill) };
    if ("page" in entry) return { page: entry.page, fields: fillAll(entry.fields) };
    if ("command" in entry) return { command: entry.command.map(fill) };
    return { step: fill(entry.step) };
  });
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
    client_id: clientId,
    client_secret: clientSecret,
  };
}

const trimSlash = (url: string): string => url.replace(/\/$/, "");
