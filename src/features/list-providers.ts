import { SIGN_IN_WITH } from "../http/paths.ts";
import { addReturnTo } from "../http/return-to.ts";
import { getParameter } from "../http/web-request.ts";
import { findProvider } from "../identity/providers.ts";
import type { ShownProvider } from "../pages/page-data.ts";
import type { Context } from "./context.ts";

/** A failed sign-in names its provider in this query parameter. */
export const FAILED_WITH = "failed_with";

/** Lists the providers with which people can sign in, and then return to the target. */
export const listProviders = (
  { options, paths }: Context,
  returnTo: string | undefined,
  query = "",
): readonly ShownProvider[] =>
  options.signIn.with.map(({ name, label }) => ({
    name,
    label,
    url: addReturnTo(`${paths.login}${SIGN_IN_WITH}${name}${query}`, returnTo),
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
  const isShown = ["error", FAILED_WITH].some((name) => getParameter(request, name) !== undefined);
  const wanted = getParameter(request, WITH) ?? (isShown ? undefined : options.signIn.first);
  return listProviders(context, returnTo).find(({ name }) => name === wanted)?.url;
}

/** Returns the label of the provider with which the sign-in has failed. */
export const findFailedProvider = ({ options, request }: Context): string | undefined =>
  findProvider(options.signIn.with, getParameter(request, FAILED_WITH) ?? "")?.label;
