import type { User } from "../db/records.ts";
import { resolveLocation } from "../http/location.ts";
import { createNoticeCookie } from "../http/notice.ts";
import { type Answer, redirect } from "../http/responses.ts";
import { createSessionCookies, readSession } from "../http/session-cookie.ts";
import type { IssuedToken } from "../identity/session-token.ts";
import type { AccountPage, Notice } from "../pages/page-data.ts";
import type { Context, UserContext } from "./context.ts";

/** Redirects a user with a new session to the target, or else to the post-login location. */
export function redirectSignedIn(
  { options, request }: Context,
  { user, token }: { readonly user: User; readonly token: IssuedToken },
  target: string | undefined,
  cookies: readonly string[] = [],
): Answer {
  const session = createSessionCookies(request, token, options.hosts.cookieDomain);
  return redirect(target ?? resolveLocation(options.postLoginLocation, user), [
    ...cookies,
    ...session,
  ]);
}

export interface NoticeAndCookies {
  readonly notice?: Notice;
  readonly cookies?: readonly string[];
}

/**
 * Redirects to a page of the account with a notice. If the app has its own pages instead, redirects
 * to the user's post-login location.
 */
export function redirectToAccount(
  page: AccountPage,
  { paths, options, request, user }: UserContext,
  { notice, cookies = [] }: NoticeAndCookies = {},
): Answer {
  if (paths.account === undefined) {
    return redirect(resolveLocation(options.postLoginLocation, user), cookies);
  }
  const shown = notice === undefined ? [] : [createNoticeCookie(request, notice)];
  return redirect(paths.account[page], [...shown, ...cookies]);
}

/**
 * Returns the cookies with which the session continues after the user turned on a second factor.
 */
export function renewSessionCookies({ rules, options, request }: UserContext): readonly string[] {
  const session = readSession(rules, request);
  if (session === undefined) return [];
  // The token belongs to the same session, so ending the session ends the token too.
  const proven = rules.tokens.sign({ ...session, factors: 2 }, session.id);
  return createSessionCookies(request, proven, options.hosts.cookieDomain);
}
