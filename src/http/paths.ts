import type { AccountPage } from "../pages/page-data.ts";

/** Contains the paths that more than one file needs. Each path includes the base path. */
export interface Paths {
  /** Every path starts with this prefix. It is empty by default. */
  readonly base: string;
  readonly login: string;
  readonly setup: string;
  readonly password: string;
  /** Administrators manage accounts below this path. */
  readonly people: string;
  /** Administrators manage apps below this path. */
  readonly apps: string;
  /** The token of a one-time link follows this path. No log may contain the token. */
  readonly link: string;
  /** Administrators read the audit log here. */
  readonly activity: string;
  /** Administrators see the open one-time links here. */
  readonly links: string;
  /**
   * Leads on to the first page of the signed-in user. This is `undefined` if the app has its own
   * pages for the account.
   */
  readonly home: string | undefined;
  /** Lists all paths that lead on to the first page. */
  readonly homes: readonly string[];
  /** This is `undefined` if the app has its own pages for the account. */
  readonly account: AccountPaths | undefined;
  /** The page of the apps that a person may open. Only a gate has it. */
  readonly launcher: string | undefined;
}

/** Contains the path of each page of the account. */
export type AccountPaths = Readonly<Record<AccountPage, string>>;

/** Health checks and reverse proxies use these paths, below the base path. */
export const ALIVE = "/healthz";
export const READY = "/readyz";
/** A host of another domain gets its session here. */
export const HANDOFF = "/login/handoff";
/** People who have forgotten their password ask for a link here, below the path of the sign-in. */
export const FORGOT = "/forgot";
/** Below the path of the sign-in, each provider has a path of its own here. */
export const SIGN_IN_WITH = "/with/";
export const FORWARD_AUTH = "/forward-auth";
/** Apps read the public keys of assertions here. */
export const ASSERTION_KEYS = "/.well-known/latchkey.json";

/** Apps that speak OpenID Connect read here where its endpoints are. */
export const OIDC_DISCOVERY = "/.well-known/openid-configuration";
/** The same, where OAuth clients look for it. */
export const OAUTH_DISCOVERY = "/.well-known/oauth-authorization-server";
/** Everything of OpenID Connect is below this path. */
export const OIDC = "/oidc/";
/** A sign-in to an app continues here. The ID of the sign-in follows. */
export const OIDC_INTERACTION = "/oidc/interaction/";
/** A person enters the code of a device here. */
export const OIDC_DEVICE = "/login/device";
/** Pages load the icons of apps from below this path. */
export const APP_ICONS = "/latchkey-icons/";

/** An app's own forms send JSON to these paths, below the base path. */
export const API = {
  signIn: "/api/sign-in",
  signOut: "/api/sign-out",
  signUp: "/api/sign-up",
  password: "/api/password",
  session: "/api/session",
} as const;

/** Password managers open this path to reach the page with the password form. */
export const CHANGE_PASSWORD = "/.well-known/change-password";

/** Lists the forms for administrators by the ends of their paths. */
export const PEOPLE_FORMS = [
  "invite",
  "reset",
  "revoke",
  "approve",
  "decline",
  "change",
  "groups",
  "rename",
  "profile",
  "sign-out",
  "remove",
] as const;

/** Lists the forms about apps for administrators by the ends of their paths. */
export const APP_FORMS = [
  "add",
  "change",
  "remove",
  "secret",
  "revoke-secret",
  "add-redirect",
  "let-in",
  /** This form contains a file. */
  "icon",
  "remove-icon",
] as const;

/** The page for a new app has this path below that of the apps. No app can have it as its ID. */
export const NEW_APP = "new";

/**
 * A person puts off here what the page of the apps suggests. Proxies forward this path to the gate
 * also on a host that the gate shares with an app.
 */
export const PASSKEY_LATER = "/account/passkeys/later";

/** A person takes back here what an app may learn. */
export const REVOKE_CONSENT = "revoke";

/**
 * Builds the paths. By default, the home path is the base path. A gate also has a home path that
 * works behind a proxy which forwards `/` to an app on the same host. An app that mounts the routes
 * can use that path itself.
 */
export function pathsUnder(
  base: string,
  home: string | null = base || "/",
  standalone = false,
): Paths {
  const homes = home === "/" && standalone ? [home, "/account/"] : [home ?? []].flat();
  const accountPaths: AccountPaths = {
    profile: `${base}/account/profile`,
    signInMethods: `${base}/account/sign-in`,
    devices: `${base}/account/devices`,
    access: `${base}/account/access`,
    keys: `${base}/account/keys`,
    history: `${base}/account/history`,
  };
  return {
    base,
    login: `${base}/login`,
    setup: `${base}/setup`,
    password: `${base}/account/password`,
    people: `${base}/account/people`,
    apps: `${base}/account/apps`,
    activity: `${base}/account/activity`,
    links: `${base}/account/links`,
    link: `${base}/link/`,
    home: homes.at(-1),
    homes,
    account: homes.length === 0 ? undefined : accountPaths,
    launcher: standalone && homes.length > 0 ? `${base}/apps` : undefined,
  };
}

/** Returns whether the path is reserved for pages, forms and files, and cannot be a home path. */
export const isTaken = (base: string, path: string): boolean =>
  path.startsWith(`${base}/`) &&
  (/^\/((login|logout|setup)(\/|$)|(account|link|oidc)\/.|latchkey[.-])/.test(
    path.slice(base.length),
  ) ||
    Object.values<string>(API).includes(path.slice(base.length)));

/**
 * Returns whether the location is a page for the signed-in user, or a step of a sign-in to an app.
 * It may have a query
 * and a fragment.
 */
export function isAccountPage({ base, homes, launcher }: Paths, location: string): boolean {
  const page = removeQuery(location.split("#", 1)[0] ?? "");
  if (page === base + OIDC_DEVICE || page.startsWith(base + OIDC_INTERACTION)) return true;
  return homes.includes(page) || page === launcher || page.startsWith(`${base}/account/`);
}

/**
 * Returns how the route table and the server log name a path. The path of a link has no token
 * there.
 */
export const getRoutePath = ({ link }: Pick<Paths, "link">, path: string): string =>
  path.startsWith(link) ? `${link}:token` : path;

/** Returns the path of a URL as the client wrote it, without the query. */
export function removeQuery(url: string): string {
  const query = url.indexOf("?");
  return query === -1 ? url : url.slice(0, query);
}
