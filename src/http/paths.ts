/** The paths that more than one file needs, with the base path. */
export interface Paths {
  /** The prefix of every path; empty by default. */
  readonly base: string;
  readonly login: string;
  readonly setup: string;
  readonly password: string;
  /** The pages for administrators. */
  readonly people: string;
  /** The path of one-time links. The token follows, which no log may contain. */
  readonly link: string;
  /** Of the home page; `undefined` if the app has its own page for the signed-in user. */
  readonly home: string | undefined;
  /** All of its paths. */
  readonly homes: readonly string[];
}

/** For health checks and reverse proxies, below the base path. */
export const ALIVE = "/healthz";
export const READY = "/readyz";
/** Where a host of another domain gets its session. */
export const HANDOFF = "/login/handoff";
export const FORWARD_AUTH = "/forward-auth";
/** The public keys of assertions, for apps. */
export const ASSERTION_KEYS = "/.well-known/latchkey.json";

/** Password managers open this path to reach the page with the password form. */
export const CHANGE_PASSWORD = "/.well-known/change-password";

/** The forms for administrators, by the ends of their paths. */
export const PEOPLE_FORMS = [
  "invite",
  "reset",
  "revoke",
  "groups",
  "rename",
  "sign-out",
  "remove",
] as const;

/**
 * By default, the home page is at the base path. That of a gate is also at a path that reaches it
 * behind a proxy which forwards `/` to an app on the same host. An app that mounts the routes keeps
 * that path.
 */
export function pathsUnder(
  base: string,
  home: string | null = base || "/",
  standalone = false,
): Paths {
  const homes = home === "/" && standalone ? [home, "/account/"] : [home ?? []].flat();
  return {
    base,
    login: `${base}/login`,
    setup: `${base}/setup`,
    password: `${base}/account/password`,
    people: `${base}/account/people`,
    link: `${base}/link/`,
    home: homes.at(-1),
    homes,
  };
}

/** Whether the path is kept for pages, forms and files other than the home page. */
export const isTaken = (base: string, path: string): boolean =>
  path.startsWith(`${base}/`) &&
  /^\/((login|logout|setup)(\/|$)|(account|link)\/.|latchkey[.-])/.test(path.slice(base.length));

/** Whether it is a page for the signed-in user, with a query and a fragment or without. */
export function isAccountPage({ base, homes }: Paths, location: string): boolean {
  const page = pathOf(location.split("#", 1)[0] ?? "");
  return homes.includes(page) || page.startsWith(`${base}/account/`);
}

/** How the route table and the server log name a path: that of a link without its token. */
export const routeOf = ({ link }: Pick<Paths, "link">, path: string): string =>
  path.startsWith(link) ? `${link}:token` : path;

/** The path of a URL as the client wrote it, without the query. */
export function pathOf(url: string): string {
  const query = url.indexOf("?");
  return query === -1 ? url : url.slice(0, query);
}
