import { randomBytes } from "node:crypto";
import { Skipped, Undecided } from "./errors.ts";
import type { HttpVersion } from "./http/http2.ts";
import { type Headers, type HttpRequest, hostOf, sendRequest } from "./http/request.ts";
import type { HttpResponse } from "./http/response.ts";
import { type Exchange, exchange, NoResponse, type ServerAddress } from "./http/wire.ts";
import type { OidcSetup } from "./oidc/setup.ts";

export interface Account {
  readonly username: string;
  readonly password: string;
  /** The token of a session that belongs to this run. */
  readonly token: string;
  /** The Set-Cookie lines of the response that created the session. */
  readonly cookies: readonly string[];
  /** The session cookie that the request for it carried. */
  readonly planted: string;
}

/** A proxy whose X-Forwarded-For the server believes. */
export interface TrustedProxy {
  readonly address: string;
  /** The length of the IPv6 prefix whose addresses share the sign-in limit; 128 for one address. */
  readonly ipv6Prefix: number;
}

/** What only the program that started the server knows and can do. */
export interface ServerAccess {
  readonly secret: string;
  readonly setupToken?: string;
  /** Further URLs that the server may redirect to, with the scheme that users reach them by. */
  readonly otherUrls?: readonly string[];
  /** What the links that the server makes begin with, whatever a request says. */
  readonly publicUrl?: string;
  readonly proxy?: TrustedProxy;
  /** Two hosts of other domains, to which the server hands sessions over. */
  readonly handoffHosts?: readonly [string, string];
  /** The output of `latchkey log`, as text and as JSON. */
  readLog(format: "text" | "json"): Promise<string>;
  /** The server log so far. */
  serverLog(): string;
  endSessions(username: string): Promise<void>;
  addUser(username: string, password: string): Promise<void>;
}

/** A sign-in service that was found at a URL. */
export interface Target {
  readonly url: string;
  /** Its HTTP version is that of the current attack run. */
  address: ServerAddress;
  /** The versions that the server offers. */
  readonly versions: readonly HttpVersion[];
  /** The path prefix of the sign-in endpoints; empty by default. */
  readonly base: string;
  readonly state: "configured" | "unconfigured";
  /** Paths that require a session. */
  readonly guarded: readonly string[];
  /** A guarded path of an app that responds with the request headers as JSON. */
  readonly echo: string | undefined;
  readonly fresh: boolean;
  readonly access: ServerAccess | undefined;
  readonly oidc: OidcSetup | undefined;
  account: Account | undefined;
  /** An upper bound of the sign-in attempts used so far. */
  attempts: number;
  signal: AbortSignal | undefined;
}

/** Sends a request for a path below the base. */
export async function send(target: Target, request: HttpRequest): Promise<HttpResponse> {
  const path = `${target.base}${request.path}`;
  const response = await sendRequest(target.address, { ...request, path }, target.signal);
  if (request.path.includes("/login") && isCounted(response)) target.attempts += 1;
  return response;
}

/** Whether the server processed a sign-in attempt, successful or not. */
const isCounted = ({ status, location, session }: HttpResponse): boolean =>
  status >= 500 || (status === 303 && (session !== undefined || /[?&]error=/.test(location ?? "")));

export function sendBytes(
  target: Target,
  request: string | Uint8Array,
  methods: readonly string[],
): Promise<Exchange> {
  const withinMs = isLoopback(target.address.host) ? 1_000 : 3_000;
  return exchange(target.address, request, { methods, signal: target.signal, withinMs });
}

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);

export const ownHost = ({ address }: Target): string => hostOf(address);

/** Whether a Cookie header is accepted as a session. Changes nothing, because the form is empty. */
export async function isSignedIn(target: Target, cookie: string): Promise<boolean> {
  const { status, location } = await send(target, {
    path: "/account/password",
    form: {},
    headers: { Cookie: cookie },
  });
  if (status === 422) return true;
  if (status === 303 && /\/(login|setup)$/.test(location ?? "")) return false;
  // Rejected before the session was checked, or a fault: neither proves a session.
  if (status >= 400 && status < 500) return false;
  if (status >= 500) throw new Undecided(`the password form responds with ${status}`);
  return true;
}

/**
 * The account to attack with. Its own session must be accepted; otherwise a rejected forgery would
 * prove nothing.
 */
export async function requireAccount(target: Target): Promise<Account> {
  const { account } = target;
  if (account === undefined) throw new Skipped("there is no account to try it with");
  if (!(await isSignedIn(target, `session=${account.token}`))) {
    throw new Undecided("the account's own session is not accepted");
  }
  return account;
}

export function signIn(
  target: Target,
  fields: Readonly<Record<string, string>>,
  request: Partial<HttpRequest> = {},
): Promise<HttpResponse> {
  return send(target, { path: "/login", form: fields, ...request });
}

/** Signs in with the account to attack with. Uses one attempt. */
export async function signInAs(
  target: Target,
  username: string,
  password: string,
): Promise<"signed-in" | "rejected"> {
  const planted = await sessionToPlant(target);
  const response = await signIn(target, { username, password }, { session: planted });
  const { session: token, cookies } = response;
  if (!isSuccess(response) || token === undefined) return "rejected";
  target.account = { username, password, token, cookies, planted };
  return "signed-in";
}

/** A session cookie from before the sign-in: the server's own if its page sets one. */
export async function sessionToPlant(target: Target): Promise<string> {
  const { session } = await send(target, { path: "/login" });
  return session ?? randomBytes(16).toString("hex");
}

/** Whether a sign-in or setup succeeded. */
export const isSuccess = ({ status, session, location }: HttpResponse): boolean =>
  status === 303 && session !== undefined && !/\/login\?error=1/.test(location ?? "");

let addresses = 0;

/** A local address that this run has not used yet. Needs a machine with all of 127.0.0.0/8. */
export async function newAddress(target: Target): Promise<string> {
  addresses += 1;
  const number = (process.pid % 100) * 10_000 + addresses;
  const digits = [number / 62_500, number / 250, number].map((one) => 1 + (Math.trunc(one) % 250));
  const from = `127.${digits.join(".")}`;
  try {
    await sendRequest(target.address, { path: `${target.base}/login`, from }, target.signal);
    return from;
  } catch (error) {
    if (error instanceof NoResponse) {
      throw new Skipped("needs many local addresses, and this machine has only one");
    }
    throw error;
  }
}

/** Changes the account's password to the one it already has; the response is the page refresh. */
export function changePassword(
  target: Target,
  { password, token }: Account,
  headers: Headers,
): Promise<HttpResponse> {
  const fields = { current_password: password, new_password: password, confirm_password: password };
  return send(target, { path: "/account/password", form: fields, session: token, headers });
}

/** A response as text for a comparison, without the date and the value of the request ID. */
export function comparableText({ status, headers, body }: HttpResponse): string {
  const lines = headers.flatMap(([name, value]) => {
    if (/^date$/i.test(name)) return [];
    return [`${name}: ${/^x-request-id$/i.test(name) ? "*" : value}`];
  });
  return [status, ...lines, body].join("\n");
}
