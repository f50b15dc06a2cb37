import { TargetError, UsageError } from "./errors.ts";
import { offeredVersions } from "./http/http2.ts";
import { sendRequest } from "./http/request.ts";
import { type HttpResponse, headerOf } from "./http/response.ts";
import { NoResponse, type ServerAddress } from "./http/wire.ts";
import type { OidcClient } from "./oidc/setup.ts";
import { isLoopback, type ServerAccess, type Target } from "./target.ts";

export interface TargetOptions {
  readonly url: string;
  /** Further paths that should require a session. */
  readonly guarded: readonly string[];
  readonly echo?: string | undefined;
  readonly fresh: boolean;
  readonly access?: ServerAccess;
  /** Clients of OpenID Connect that the server knows. */
  readonly clients?: readonly OidcClient[] | undefined;
  /** Another instance that shares the database. */
  readonly secondUrl?: string | undefined;
}

/**
 * Checks that a supported sign-in answers at the URL.
 *
 * @throws TargetError if it does not
 * @throws UsageError if the options do not fit the server
 */
export async function findTarget(options: TargetOptions): Promise<Target> {
  const { url, fresh, access, echo, clients, secondUrl } = options;
  const address = addressOf(url);
  const base = new URL(url).pathname.replace(/\/+$/, "");
  const reach = <Value>(work: Promise<Value>): Promise<Value> =>
    work.catch((error: unknown) => {
      throw error instanceof NoResponse ? new TargetError(`${url}: ${error.message}`) : error;
    });
  const get = (path: string): Promise<HttpResponse> =>
    reach(sendRequest(address, { path: `${base}${path}` }));
  const login = await get("/login");
  const logout = await get("/logout");
  const setup = await get("/setup");
  const other = otherOrigin(login, url);
  if (other !== undefined) throw new TargetError(`${url} redirects to ${other}; use that URL`);
  if (!isSupported(login, logout)) {
    throw new TargetError(`${url} is not a Latchkey sign-in (checked /login and /logout)`);
  }
  const state = setup.status === 200 ? "unconfigured" : "configured";
  if (fresh && (state === "configured" || !isLoopback(address.host))) {
    throw new UsageError(
      `--fresh needs a server on this machine that has no account yet; ${url} is not`,
    );
  }
  const named = [...options.guarded, ...(echo === undefined ? [] : [echo])];
  const guarded = await guardedOf(named, `${base}/`, address);
  const versions = await reach(offeredVersions(address));
  const second = secondUrl === undefined ? {} : { second: addressOf(secondUrl) };
  const oidc = clients && { clients, ...second };
  const found = {
    url,
    address,
    versions,
    base,
    state,
    guarded,
    echo,
    fresh,
    access,
    oidc,
  } as const;
  return { ...found, account: undefined, attempts: 0, signal: undefined };
}

/** The origin of a sign-in that has moved, for example from HTTP to HTTPS. */
function otherOrigin({ status, location }: HttpResponse, url: string): string | undefined {
  if (status < 300 || status > 399 || !URL.canParse(location ?? "", url)) return undefined;
  const { origin } = new URL(location ?? "", url);
  return origin === new URL(url).origin ? undefined : origin;
}

/** The sign-in page has a password field, and the sign-out accepts POST only. */
function isSupported(login: HttpResponse, logout: HttpResponse): boolean {
  const hasForm = login.status === 200 && /<input[^>]*name="?password/i.test(login.body);
  return hasForm && logout.status === 405 && headerOf(logout, "allow") === "POST";
}

function addressOf(url: string): ServerAddress {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") {
    throw new UsageError(`${url} is not an http or https URL`);
  }
  return {
    protocol,
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
  };
}

/** The paths that redirect to the sign-in without a session. A path named by the operator must. */
async function guardedOf(
  named: readonly string[],
  home: string,
  address: ServerAddress,
): Promise<readonly string[]> {
  const guarded: string[] = [];
  for (const path of new Set([home, ...named])) {
    if (!path.startsWith("/")) throw new UsageError(`${path} is not a path such as /app`);
    const response = await sendRequest(address, { path, headers: { Accept: "text/html" } });
    if (redirectsToSignIn(response)) guarded.push(path);
    else if (named.includes(path)) {
      throw new UsageError(`${path} does not redirect to the sign-in, so it is not guarded`);
    }
  }
  return guarded;
}

const redirectsToSignIn = ({ status, location }: HttpResponse): boolean =>
  status >= 300 && status < 400 && /\/(login|setup)(\?|$)/.test(location ?? "");
