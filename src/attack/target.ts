import type { Answer } from "./answers.ts";
import { type Asking, ask, type Headers, hostOf } from "./ask.ts";
import { CannotTell, LeftOut } from "./attack.ts";
import { type Exchange, exchange, NoAnswer, type Place } from "./wire.ts";

export interface Account {
  readonly username: string;
  readonly password: string;
  /** The token of a session of its own. */
  readonly token: string;
  /** The Set-Cookie lines that brought it. */
  readonly cookies: readonly string[];
}

/** What only somebody knows who started the server. */
export interface Workshop {
  readonly secret: string;
  readonly setupToken?: string;
  /** Further hosts that count as its own. */
  readonly ownHosts?: readonly string[];
  /** What `latchkey log` prints, for people and as JSON. */
  readLog(format: "text" | "json"): Promise<string>;
  /** What the server has written about itself so far. */
  serverLog(): string;
  endSessions(username: string): Promise<void>;
}

/** A Latchkey that was found at an address. */
export interface Target {
  readonly url: string;
  readonly place: Place;
  /** Stands before every path of Latchkey's; empty by default. */
  readonly base: string;
  readonly state: "configured" | "unconfigured";
  /** Paths that nobody reaches without a session. */
  readonly guarded: readonly string[];
  /** Secrets that everybody knows. */
  readonly knownSecrets: readonly string[];
  readonly fresh: boolean;
  readonly workshop: Workshop | undefined;
  account: Account | undefined;
  /** How many sign-in attempts were used at most. */
  attempts: number;
  signal: AbortSignal | undefined;
}

/** Asks for a path below the base. */
export async function send(target: Target, asking: Asking): Promise<Answer> {
  const path = `${target.base}${asking.path}`;
  const answer = await ask(target.place, { ...asking, path }, target.signal);
  if (asking.path.includes("/login") && counts(answer)) target.attempts += 1;
  return answer;
}

/** A sign-in that was looked at, whatever came of it. */
const counts = ({ status, location, session }: Answer): boolean =>
  status >= 500 || (status === 303 && (session !== undefined || /[?&]error=/.test(location ?? "")));

export function sendBytes(
  target: Target,
  request: string | Uint8Array,
  methods: readonly string[],
): Promise<Exchange> {
  const withinMs = isLoopback(target.place.host) ? 1_000 : 3_000;
  return exchange(target.place, request, { methods, signal: target.signal, withinMs });
}

/** Whether the host is this machine. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);

export const ownHost = ({ place }: Target): string => hostOf(place);

/** Whether a Cookie header makes somebody signed in. Changes nothing: the form is empty. */
export async function isSignedIn(target: Target, cookie: string): Promise<boolean> {
  const { status, location } = await send(target, {
    path: "/account/password",
    form: {},
    headers: { Cookie: cookie },
  });
  if (status === 422) return true;
  if (status === 303 && /\/(login|setup)$/.test(location ?? "")) return false;
  // Refused before anybody looked, or a fault: neither is a session.
  if (status >= 400 && status < 500) return false;
  if (status >= 500) throw new CannotTell(`the password form answers ${status}`);
  return true;
}

/** The account to attack with. Its own session has to open the door, or nothing could be said. */
export async function accountOf(target: Target): Promise<Account> {
  const { account } = target;
  if (account === undefined) throw new LeftOut("there is no account to try it with");
  if (!(await isSignedIn(target, `session=${account.token}`))) {
    throw new CannotTell("the account's own session is not taken");
  }
  return account;
}

export async function signIn(
  target: Target,
  fields: Readonly<Record<string, string>>,
  asking: Partial<Asking> = {},
): Promise<Answer> {
  return send(target, { path: "/login", form: fields, ...asking });
}

/** Whether a username and password are taken. */
export const isSuccess = ({ status, session, location }: Answer): boolean =>
  status === 303 && session !== undefined && !/\/login\?error=1/.test(location ?? "");

let addresses = 0;

/** A local address that nobody came from yet, where the machine has more than one. */
export async function newAddress(target: Target): Promise<string> {
  addresses += 1;
  const number = (process.pid % 100) * 10_000 + addresses;
  const digits = [number / 62_500, number / 250, number].map((one) => 1 + (Math.trunc(one) % 250));
  const from = `127.${digits.join(".")}`;
  try {
    await ask(target.place, { path: `${target.base}/login`, from }, target.signal);
    return from;
  } catch (error) {
    if (error instanceof NoAnswer) {
      throw new LeftOut("it takes many local addresses, and this machine has one");
    }
    throw error;
  }
}

/** Changes the account's password to the one that it has. Answers with where that leads. */
export function changePassword(
  target: Target,
  { password, token }: Account,
  headers: Headers,
): Promise<Answer> {
  const fields = { current_password: password, new_password: password, confirm_password: password };
  return send(target, { path: "/account/password", form: fields, session: token, headers });
}

/** All of an answer that two of them have to have in common: not the time of day, nor its number. */
export function sightOf({ status, headers, body }: Answer): string {
  const seen = headers.flatMap(([name, value]) => {
    if (/^date$/i.test(name)) return [];
    return [`${name}: ${/^x-request-id$/i.test(name) ? "*" : value}`];
  });
  return [status, ...seen, body].join("\n");
}
