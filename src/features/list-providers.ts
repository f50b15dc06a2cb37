import { SIGN_IN_WITH } from "../http/paths.ts";
import { addReturnTo } from "../http/return-to.ts";
import { getParameter } from "../http/web-request.ts";
import { findProvider, type Provider } from "../identity/providers.ts";
import type { ProviderBrand, ShownProvider } from "../pages/page-data.ts";
import type { Context } from "./context.ts";

/** A failed sign-in names its provider in this query parameter. */
export const FAILED_WITH = "failed_with";

const BRANDS: ReadonlyMap<string, ProviderBrand> = new Map([
  ["accounts.google.com", "google"],
  ["appleid.apple.com", "apple"],
  ["login.microsoftonline.com", "microsoft"],
  ["login.microsoftonline.us", "microsoft"],
]);

/**
 * Returns whose mark stands for the provider. Its name does not decide, because operators choose
 * names: only who issues the accounts does. A GitHub of one's own is also a GitHub.
 */
export function findBrand({ protocol, issuer }: Provider): ProviderBrand {
  switch (protocol) {
    case "github":
      return "github";
    case "oidc":
      return BRANDS.get(new URL(issuer).host) ?? "other";
  }
}

/** Lists the providers with which people can sign in, and then return to the target. */
export const listProviders = (
  { options, paths }: Context,
  returnTo: string | undefined,
  query = "",
): readonly ShownProvider[] =>
  options.signIn.with.map((provider) => ({
    name: provider.name,
    label: provider.label,
    brand: findBrand(provider),
    url: addReturnTo(`${paths.login}${SIGN_IN_WITH}${provider.name}${query}`, returnTo),
  }));

/** The query parameter names the provider with which the visitor wants to sign in, or `none`. */
const WITH = "with";

/**
 * Returns where a visitor continues who asks for a provider, or whom the operator leads to one. A
 * failure or a message on the sign-in page must be seen, so nothing leads on then.
 */
export function findFirstProvider(
  context: Context,
  returnTo: string | undefined,
): string | undefined {
  const { options, request } = context;
  if (options.signIn.with.length === 0) return undefined;
  const isShown = ["error", FAILED_WITH].some((name) => getParameter(request, name) !== undefined);
  const wanted = getParameter(request, WITH) ?? (isShown ? undefined : options.signIn.first);
  return listProviders(context, returnTo).find(({ name }) => name === wanted)?.url;
}

/** Returns the label of the provider with which the sign-in has failed. */
export const findFailedProvider = ({ options, request }: Context): string | undefined =>
  findProvider(options.signIn.with, getParameter(request, FAILED_WITH) ?? "")?.label;
