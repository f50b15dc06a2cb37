/** Where everything of Latchkey's is found: under a base path, or without one. */
export interface Paths {
  /** Stands before every path; empty by default. */
  readonly base: string;
  readonly login: string;
  readonly setup: string;
  readonly logout: string;
  readonly password: string;
  readonly styleSheet: string;
  readonly script: string;
  readonly logo: string;
  readonly alive: string;
  readonly ready: string;
  /** For reverse proxies; only there where the gate says so. */
  readonly forwardAuth: string;
  /** `null` where the application has a page of its own for the signed-in user. */
  readonly home: string | null;
}

/** Where password managers ask for the page with the password form. */
export const CHANGE_PASSWORD = "/.well-known/change-password";

export function pathsUnder(base: string, home: string | null): Paths {
  return {
    base,
    login: `${base}/login`,
    setup: `${base}/setup`,
    logout: `${base}/logout`,
    password: `${base}/account/password`,
    styleSheet: `${base}/latchkey.css`,
    script: `${base}/latchkey.js`,
    logo: `${base}/latchkey-logo`,
    alive: `${base}/healthz`,
    ready: `${base}/readyz`,
    forwardAuth: `${base}/forward-auth`,
    home,
  };
}
