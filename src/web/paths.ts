/** Where everything of Latchkey's is found: under a base path, or without one. */
export interface Paths {
  /** Stands before every path; empty by default. */
  readonly base: string;
  readonly login: string;
  readonly setup: string;
  readonly logout: string;
  readonly password: string;
  readonly styleSheet: string;
  /** For reverse proxies; only there where the gate says so. */
  readonly forwardAuth: string;
  /** `null` where the application has a page of its own for the signed-in user. */
  readonly home: string | null;
}

export function pathsUnder(base: string, home: string | null): Paths {
  return {
    base,
    login: `${base}/login`,
    setup: `${base}/setup`,
    logout: `${base}/logout`,
    password: `${base}/account/password`,
    styleSheet: `${base}/latchkey.css`,
    forwardAuth: `${base}/forward-auth`,
    home,
  };
}

/** Which methods each path answers to: what else is asked of it is refused with this list. */
export function methodsOf(paths: Paths, forwardAuth: "on" | "off"): ReadonlyMap<string, string> {
  return new Map([
    [paths.login, "GET, HEAD, POST"],
    [paths.setup, "GET, HEAD, POST"],
    [paths.logout, "POST"],
    [paths.password, "POST"],
    [paths.styleSheet, "GET, HEAD"],
    ...(forwardAuth === "off" ? [] : [[paths.forwardAuth, "GET, HEAD"] as const]),
    ...(paths.home === null ? [] : [[paths.home, "GET, HEAD"] as const]),
  ]);
}
