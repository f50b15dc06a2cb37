/** The paths of the endpoints and assets, with the base path. */
export interface Paths {
  /** The prefix of every path; empty by default. */
  readonly base: string;
  readonly login: string;
  readonly setup: string;
  readonly logout: string;
  readonly password: string;
  readonly endSession: string;
  readonly beginCodes: string;
  readonly confirmCodes: string;
  readonly turnOffCodes: string;
  readonly addPasskey: string;
  readonly removePasskey: string;
  readonly passkeyLogin: string;
  readonly passkeyScript: string;
  readonly styleSheet: string;
  readonly script: string;
  readonly logo: string;
  readonly alive: string;
  readonly ready: string;
  /** For reverse proxies; only served with the option `forwardAuth`. */
  readonly forwardAuth: string;
  /** `null` if the app has its own page for the signed-in user. */
  readonly home: string | null;
  /** The home page as well, for a proxy that forwards `/` to an app on the same host. */
  readonly account: string;
}

/**
 * The paths of the home page. The last one reaches it behind a proxy on one host too; an app that
 * mounts the routes keeps that path.
 */
export function homePathsOf(
  { home, account }: Paths,
  { forwardAuth }: { readonly forwardAuth: boolean },
): readonly string[] {
  if (home === null) return [];
  return forwardAuth && home === "/" ? [home, account] : [home];
}

/** Password managers open this path to reach the page with the password form. */
export const CHANGE_PASSWORD = "/.well-known/change-password";

export function pathsUnder(base: string, home: string | null): Paths {
  return {
    base,
    login: `${base}/login`,
    setup: `${base}/setup`,
    logout: `${base}/logout`,
    password: `${base}/account/password`,
    endSession: `${base}/account/sessions/end`,
    beginCodes: `${base}/account/codes/begin`,
    confirmCodes: `${base}/account/codes/confirm`,
    turnOffCodes: `${base}/account/codes/off`,
    addPasskey: `${base}/account/passkeys/add`,
    removePasskey: `${base}/account/passkeys/remove`,
    passkeyLogin: `${base}/login/passkey`,
    passkeyScript: `${base}/latchkey-passkeys.js`,
    styleSheet: `${base}/latchkey.css`,
    script: `${base}/latchkey.js`,
    logo: `${base}/latchkey-logo`,
    alive: `${base}/healthz`,
    ready: `${base}/readyz`,
    forwardAuth: `${base}/forward-auth`,
    home,
    account: `${base}/account/`,
  };
}

/** The path of a URL as the client wrote it, without the query. */
export function pathOf(url: string): string {
  const query = url.indexOf("?");
  return query === -1 ? url : url.slice(0, query);
}
