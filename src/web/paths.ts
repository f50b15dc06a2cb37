/** The paths that more than one file needs, with the base path. */
export interface Paths {
  /** The prefix of every path; empty by default. */
  readonly base: string;
  readonly login: string;
  readonly setup: string;
  readonly password: string;
  /** `null` if the app has its own page for the signed-in user. */
  readonly home: string | null;
  /**
   * The paths of the home page. The last one reaches it behind a proxy that forwards `/` to an app
   * on the same host, too. An app that mounts the routes keeps that path.
   */
  readonly homes: readonly string[];
}

/** For health checks and reverse proxies, below the base path. */
export const ALIVE = "/healthz";
export const READY = "/readyz";
export const FORWARD_AUTH = "/forward-auth";

/** Password managers open this path to reach the page with the password form. */
export const CHANGE_PASSWORD = "/.well-known/change-password";

/** By default, the home page is at the base path. */
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
    home,
    homes,
  };
}

/** Whether it is a page for the signed-in user, with a fragment or without. */
export function isAccountPage({ base, homes }: Paths, location: string): boolean {
  const [page = ""] = location.split("#", 1);
  return homes.includes(page) || pathOf(page).startsWith(`${base}/account/`);
}

/** The path of a URL as the client wrote it, without the query. */
export function pathOf(url: string): string {
  const query = url.indexOf("?");
  return query === -1 ? url : url.slice(0, query);
}
