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

/** Returns the label of the provider with which the sign-in has failed. */
export const findFailedProvider = ({ options, request }: Context): string | undefined =>
  findProvider(options.signIn.with, getParameter(request, FAILED_WITH) ?? "")?.label;
