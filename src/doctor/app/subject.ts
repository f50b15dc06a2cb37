import type { App, StoredUser, User } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { splitList } from "../../features/apps/app-fields.ts";
import type { Factors, IssuedToken } from "../../identity/session-token.ts";
import type { SessionScope } from "../../lib/session-reach.ts";
import type { Way } from "../../recipes/recipe.ts";
import { SiteBrowser } from "./site-browser.ts";

/** Contains the app that is checked, and as whom. */
export interface Subject {
  readonly app: App;
  readonly url: URL;
  /** The gate is at this address. */
  readonly publicUrl: URL;
  readonly scope: SessionScope;
  /** Contains what is known of the app, if it has a recipe. */
  readonly recipe: { readonly name: string; readonly way: Way | undefined } | undefined;
  /** The sign-in of the app begins at this path. */
  readonly start: string | undefined;
  readonly stored: StoredUser;
  readonly user: User;
  readonly factors: Factors;
  readonly token: IssuedToken;
  readonly store: Pick<StoreParts, "tokens">;
  readonly now: () => number;
  readonly stop: AbortSignal;
}

/** Opens a browser without cookies. */
export function openBrowser({ app, url, publicUrl, now, stop }: Subject): SiteBrowser {
  const uris = [...splitList(app.redirects), ...splitList(app.signOutRedirects)];
  const hosts = new Set([
    url.hostname,
    publicUrl.hostname,
    ...uris.flatMap((uri) => URL.parse(uri)?.hostname || []),
  ]);
  // A check on the server must not visit other addresses of its network because an app says so.
  // `www.` before the host of the app, or without it, is the same site.
  const mayVisit = (host: string): boolean =>
    hosts.has(host) || host === `www.${url.hostname}` || `www.${host}` === url.hostname;
  return new SiteBrowser({ now, mayVisit, stop });
}

/** Returns whether the URL is the page at which people sign in. */
export const isSignInPage =
  ({ publicUrl }: Pick<Subject, "publicUrl">) =>
  ({ origin, pathname }: URL): boolean =>
    origin === publicUrl.origin && (pathname === "/login" || pathname === "/setup");

/** Returns whether the URL begins a sign-in with OpenID Connect, at any provider. */
export const isAuthorizationRequest = ({ searchParams }: URL): boolean =>
  searchParams.has("client_id") &&
  (searchParams.has("response_type") || searchParams.has("request_uri"));
