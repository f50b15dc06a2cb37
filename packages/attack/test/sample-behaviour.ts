import { createHmac, randomBytes } from "node:crypto";
import type {
  IncomingHttpHeaders,
  IncomingMessage,
  ServerOptions,
  ServerResponse,
} from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { getNetwork } from "../../../src/lib/network.ts";
import type { TrustedProxy } from "../src/target.ts";
import { type SampleCodes, useSampleCode } from "./sample-codes.ts";
import { type HandoffBehaviour, handsOver, type SampleHandoff } from "./sample-handoffs.ts";
import { managesPeople, type PeopleBehaviour, type SampleLink } from "./sample-people.ts";
import { type IssuedToken, type TokenBehaviour, tellsTokensApart } from "./sample-tokens.ts";

export const SECRET = "the secret of the sample server";

export interface User {
  readonly id: string;
  readonly username: string;
  readonly password: string;
  readonly groups?: readonly string[];
  readonly guest?: true;
}

/** The state of the sample server. */
export interface Memory {
  readonly users: User[];
  readonly attempts: Map<string, number>;
  readonly log: string[];
  /** The user IDs of sessions, by the `jti` of their tokens. */
  readonly sessions: Map<string, string>;
  readonly ended: Set<string>;
  /** By user ID. */
  readonly codes: Map<string, SampleCodes>;
  readonly handoffs: Map<string, SampleHandoff>;
  /** By their tokens. */
  readonly links: Map<string, SampleLink>;
  readonly issued: Map<string, IssuedToken>;
  /** What the server has written to its log. */
  readonly lines: string[];
}

export type Fields = ReadonlyMap<string, string>;

/** Every part of the sample server that a test can replace with a flawed one. */
export interface Behaviour extends HandoffBehaviour, PeopleBehaviour, TokenBehaviour {
  readonly server: ServerOptions;
  /** The path that a request is routed by. */
  pathOf(request: IncomingMessage): string;
  tokenIn(request: IncomingMessage): string | undefined;
  userIdIn(token: string): string | undefined;
  /** The token of a new session. */
  tokenFor(userId: string, request: IncomingMessage): string;
  cookieFor(token: string): string;
  signOutCookie(request: IncomingMessage): string | undefined;
  /** Ends the session of a browser that signs out. */
  signOut(memory: Memory, token: string): void;
  returnTo(target: string | undefined): string | undefined;
  /** What attempts are counted by. */
  addressOf(request: IncomingMessage): string;
  isCounted(request: IncomingMessage): boolean;
  /** Whether the setup is open to requests for this host. */
  isOwnHost(request: IncomingMessage): boolean;
  isCrossSite(request: IncomingMessage): boolean;
  /** Stores the first account. */
  insertFirst(memory: Memory, user: User): Promise<"inserted" | "too-late">;
  isSetupOpen(memory: Memory, request: IncomingMessage): boolean;
  setupTokenFits(expected: string | undefined, fields: Fields): boolean;
  escape(text: string): string;
  logged(text: string): string;
  readonly pageHeaders: Readonly<Record<string, string>>;
  passwordFits(user: User | undefined, password: string): Promise<boolean>;
  /** Whether the code is accepted after the right password. */
  codeFits(codes: SampleCodes, code: string): boolean;
  refusedLocation(user: User | undefined): string;
  redirect(response: ServerResponse, location: string, cookies: readonly string[]): void;
  tooLarge(bytes: number): number | undefined;
  endSessions(memory: Memory, token: string): void;
  /** Ends one session at the request of this user, or all others. */
  endSession(memory: Memory, user: User, jti: string): void;
  isGuarded(request: IncomingMessage): boolean;
  /** The headers that an app behind the server receives. */
  passedOn(request: IncomingMessage, user: User): IncomingHttpHeaders;
}

const encoded = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url");

const signatureOf = (text: string): string =>
  createHmac("sha256", SECRET).update(text).digest("base64url");

const ASSERTION = "assertion+jwt";

export function issue(userId: string): string {
  const iat = Math.floor(Date.now() / 1000);
  const jti = randomBytes(16).toString("hex");
  return signedWith("JWT", { user_id: userId, jti, iat, exp: iat + 2_592_000 });
}

/** Tells an app who asks. */
export const assertionAbout = (userId: string): string =>
  signedWith(ASSERTION, { user_id: userId, exp: Math.floor(Date.now() / 1000) + 60 });

function signedWith(typ: string, claims: object): string {
  const text = `${encoded({ alg: "HS256", typ })}.${encoded(claims)}`;
  return `${text}.${signatureOf(text)}`;
}

/** The claim `jti` of a token. */
export const jtiIn = (token: string): string => String(decoded(token.split(".")[1]).jti);

/** The JSON object in a part of a token, or an empty one. */
export function decoded(part: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part ?? "", "base64url").toString("utf8"));
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function verified(token: string): string | undefined {
  const [header = "", claims = "", signature = "", ...rest] = token.split(".");
  if (rest.length > 0 || signature !== signatureOf(`${header}.${claims}`)) return undefined;
  const { alg, typ, crit, host } = decoded(header);
  const { user_id: userId, exp, nbf = 0 } = decoded(claims);
  const now = Date.now() / 1000;
  // An assertion is no session, and a session of another host names it.
  if (alg !== "HS256" || typ === ASSERTION || (crit ?? host) !== undefined || !Number.isFinite(exp))
    return undefined;
  if (Number(exp) <= now || Number(nbf) > now) return undefined;
  return typeof userId === "string" ? userId : undefined;
}

function firstCookie(cookies: string): string | undefined {
  const pairs = cookies.split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith("session="))?.slice("session=".length);
}

/** What the client may tell the app. */
const PASSED = new Set(["accept", "connection", "content-type", "host", "user-agent"]);

/** Passes on few headers of the client, says the rest itself, and removes the session. */
function passedOn(
  { headers, socket }: IncomingMessage,
  { id, username }: User,
): IncomingHttpHeaders {
  const others = Object.entries(headers).filter(([name]) => PASSED.has(name));
  return {
    ...Object.fromEntries(others),
    "remote-user": encodeURIComponent(username),
    "remote-user-id": id,
    "x-forwarded-for": socket.remoteAddress,
    "x-forwarded-proto": "http",
    "x-forwarded-host": headers.host,
    cookie: headers.cookie?.replaceAll(/(^|;) *session=[^;]*/g, ""),
  };
}

export const PROXY: TrustedProxy = { address: "127.0.0.9", ipv6Prefix: 64 };

/** The address in X-Forwarded-For if the request comes from the proxy, in the spelling received. */
export function clientOf({ socket, headers }: IncomingMessage): string {
  const { remoteAddress = "" } = socket;
  if (remoteAddress !== PROXY.address) return remoteAddress;
  const [, bracketed, plain] =
    /^(?:\[(.+)\](?::\d+)?|([^:]+)(?::\d+)?|.*)$/.exec(String(headers["x-forwarded-for"])) ?? [];
  return bracketed ?? plain ?? String(headers["x-forwarded-for"]);
}

export const correct: Behaviour = {
  ...handsOver,
  ...managesPeople,
  ...tellsTokensApart,
  server: {
    // A busy machine can pause a request for a second; a server must not refuse it for that.
    headersTimeout: 5_000,
    requestTimeout: 5_000,
    keepAliveTimeout: 400,
    connectionsCheckingInterval: 50,
  },
  pathOf: ({ url = "/" }) => url.split("?", 1)[0] ?? "/",
  tokenIn: ({ headers }) => firstCookie(headers.cookie ?? ""),
  userIdIn: verified,
  tokenFor: issue,
  cookieFor: (token) => `session=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000`,
  signOutCookie: ({ method }) =>
    method === "POST" ? "session=; Path=/; HttpOnly; Max-Age=-1" : undefined,
  signOut: ({ ended }, token) => void ended.add(jtiIn(token)),
  returnTo: (target) => (/^\/(?![/\\])[\x21-\x7e]*$/.test(target ?? "") ? target : undefined),
  addressOf: (request) => getNetwork(clientOf(request), PROXY.ipv6Prefix),
  isCounted: () => true,
  isOwnHost: ({ headers }) => /^(localhost|127\.0\.0\.1)(:\d+)?$/.test(headers.host ?? ""),
  isCrossSite: ({ headers }) => {
    const site = headers["sec-fetch-site"];
    if (site !== undefined) return site !== "same-origin" && site !== "none";
    return headers.origin !== undefined && headers.origin !== `http://${headers.host}`;
  },
  async insertFirst({ users }, user) {
    if (users.length > 0) return "too-late";
    users.push(user);
    return "inserted";
  },
  isSetupOpen: ({ users }) => users.length === 0,
  setupTokenFits: (expected, fields) => expected === undefined || fields.get("token") === expected,
  escape: (text) => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`),
  logged: (text) => JSON.stringify(text).replace(/[\u007f-\u009f]/g, "?"),
  pageHeaders: {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy":
      "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  },
  async passwordFits(user, password) {
    // Takes the same time for unknown users, like a password hash.
    await pause(5);
    return user?.password === password;
  },
  codeFits: useSampleCode,
  refusedLocation: () => "/login?error=1",
  redirect(response, location, cookies) {
    // Node throws on any other character.
    const Location = /^[\x20-\x7e]*$/.test(location) ? location : "/";
    response.writeHead(303, { ...correct.pageHeaders, Location, "Set-Cookie": [...cookies] });
    response.end();
  },
  tooLarge: (bytes) => (bytes > 65_536 ? 413 : undefined),
  endSessions: ({ ended }, token) => void ended.add(token),
  endSession({ sessions, ended }, user, jti) {
    if (jti === "others") {
      for (const [one, id] of sessions) if (id === user.id) sessions.delete(one);
      ended.add(user.id);
    }
    if (sessions.get(jti) === user.id) ended.add(jti);
  },
  isGuarded: () => true,
  passedOn,
};
