import { SIGN_IN_WITH } from "../http/paths.ts";
import { type Answer, redirect } from "../http/responses.ts";
import { addReturnTo } from "../http/return-to.ts";
import { isOverTls, readCookie } from "../http/session-cookie.ts";
import {
  ATTEMPT_LIFETIME_SECONDS,
  type Attempt,
  createChecks,
  openContent,
  type Purpose,
  sealContent,
} from "../identity/provider-attempt.ts";
import { findProvider, type Provider } from "../identity/providers.ts";
import { getErrorReason } from "../lib/fault.ts";
import type { Context } from "./context.ts";
import { FAILED_WITH } from "./list-providers.ts";

const COOKIE = "latchkey-with";

/** Returns the path below which each provider has one. */
export const withPath = ({ paths }: Context): string => `${paths.login}${SIGN_IN_WITH}`;

/**
 * Shows a page that leads on to the provider, as the answer to a form: browsers refuse a redirect to
 * another site there.
 */
export async function leadOnToProvider(
  context: Context,
  name: string,
  purpose: Purpose,
): Promise<Answer> {
  const provider = findProvider(context.options.signIn.with, name);
  if (provider === undefined) return context.views.error(context, 404, "noSuchPage");
  const begun = await tryBegin(context, provider, purpose, "usual");
  if (begun === undefined) return respondFailed(context, provider, purpose);
  const data = { provider: provider.label, url: begun.url };
  return context.views.page(context, "leadOn", data, { cookies: [begun.cookie] });
}

interface Begun {
  readonly url: string;
  readonly cookie: string;
}

/** Returns `undefined` if the provider cannot be reached. */
export async function tryBegin(
  context: Context,
  provider: Provider,
  purpose: Purpose,
  prompt: "usual" | "again",
): Promise<Begun | undefined> {
  const { rules } = context;
  const checks = createChecks(prompt);
  try {
    const client = rules.getProviderClient(provider.name);
    const url = await client.begin({ ...checks, redirectUri: redirectUriOf(context, provider) });
    const attempt: Attempt = { provider: provider.name, checks, purpose };
    const text = sealContent(rules, { attempt });
    return { url: url.href, cookie: formatCookie(context, text) };
  } catch (error) {
    logFailure(context, provider, error);
    return undefined;
  }
}

/** Shows the page from which the sign-in began, with what happened. The password form stays. */
export function respondFailed(
  { paths }: Context,
  provider: Provider,
  purpose: Purpose | undefined,
): Answer {
  const failed = `${FAILED_WITH}=${provider.name}`;
  switch (purpose?.kind) {
    case "link":
      return redirect(`${paths.account?.signInMethods ?? paths.login}?${failed}`);
    case "invitation":
      return redirect(`${paths.link}${purpose.token}?${failed}`);
    case "sign-in":
    case undefined:
      return redirect(addReturnTo(`${paths.login}?${failed}`, purpose?.returnTo));
  }
}

/** Returns where a provider sends the browser back to. */
export const redirectUriOf = ({ options, paths }: Context, { name }: Provider): string =>
  `${options.hosts.publicUrl}${paths.login}${SIGN_IN_WITH}${name}/callback`;

/** The reason may contain what the provider has sent, but no secret. */
export function logFailure({ rules }: Context, { name }: Provider, error: unknown): void {
  const reason = getErrorReason(error).slice(0, 500);
  rules.log.warn({ provider: name, reason }, "a sign-in with a provider failed");
}

/** Returns what this browser has begun, unless it was too long ago. */
export const readAttempt = ({ rules, request }: Context): ReturnType<typeof openContent> =>
  openContent(rules, readCookie(request.header("cookie"), COOKIE));

/** Returns the Set-Cookie line of an attempt. An empty text removes it. */
export function formatCookie(context: Context, text: string): string {
  const secure = isOverTls(context.request) ? "; Secure" : "";
  const age = text === "" ? -1 : ATTEMPT_LIFETIME_SECONDS;
  return `${COOKIE}=${text}; Path=${withPath(context)}; HttpOnly; SameSite=Lax; Max-Age=${age}${secure}`;
}
