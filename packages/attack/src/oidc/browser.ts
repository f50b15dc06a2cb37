import { createHash, randomBytes } from "node:crypto";
import { Skipped, Undecided } from "../errors.ts";
import { type Headers, sendRequest } from "../http/request.ts";
import type { HttpResponse } from "../http/response.ts";
import type { ServerAddress } from "../http/wire.ts";
import type { Target } from "../target.ts";
import type { OidcClient } from "./setup.ts";

/** Endpoints of a server, by their names in its discovery. */
export interface Provider {
  readonly issuer: string;
  readonly endpoints: Readonly<Record<string, unknown>>;
}

export const DISCOVERY = "/.well-known/openid-configuration";

/** @throws Skipped if the server offers no OpenID Connect */
export async function findProvider(target: Target): Promise<Provider> {
  const { status, body } = await sendTo(target, { path: `${target.base}${DISCOVERY}` });
  if (status !== 200) throw new Skipped("the server offers no OpenID Connect");
  const endpoints = parseObject(body);
  if (typeof endpoints.issuer !== "string") throw new Undecided("the discovery has no issuer");
  return { issuer: endpoints.issuer, endpoints };
}

/** The path of an endpoint. */
export function pathOf({ endpoints }: Provider, name: string): string {
  const url = endpoints[name];
  if (typeof url !== "string" || !URL.canParse(url))
    throw new Undecided(`the discovery has no ${name}`);
  return new URL(url).pathname;
}

/** The JSON object in a text, or an empty one. */
export function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

export interface Asking {
  readonly path: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly method?: string;
  readonly headers?: Headers;
  readonly from?: string;
  /** Another instance. */
  readonly at?: ServerAddress | undefined;
}

/** Sends a request to a path of the host, unlike `send` not below the base. */
export const sendTo = (target: Target, { at, ...request }: Asking): Promise<HttpResponse> =>
  sendRequest(at ?? target.address, request, target.signal);

export const randomText = (): string => randomBytes(24).toString("base64url");

export const challengeOf = (verifier: string): string =>
  createHash("sha256").update(verifier).digest("base64url");

/** Where a browser is after it has followed redirects. */
export interface Place {
  readonly response: HttpResponse;
  /** The URL on another site that it was redirected to. */
  readonly away: string | undefined;
  /** The path of the last request. */
  readonly path: string;
  /** The path of each request. */
  readonly trail: readonly string[];
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

const MAX_REDIRECTS = 10;

/** A browser that keeps cookies, follows redirects on the server, and stops where they leave it. */
export class Browser {
  readonly #target: Target;
  readonly #own: readonly string[];
  readonly #cookies = new Map<string, Cookie>();

  /** @param session the value of the session cookie */
  constructor(target: Target, { issuer }: Provider, session?: string) {
    this.#target = target;
    this.#own = [new URL(issuer).origin, new URL(target.url).origin];
    if (session !== undefined) this.plant("session", session);
  }

  /** Sets a cookie. */
  plant(name: string, value: string, path = "/"): void {
    this.#cookies.set(`${name} ${path}`, { name, value, path });
  }

  /** The cookies whose names match. */
  cookies(name: RegExp): readonly Cookie[] {
    return [...this.#cookies.values()].filter((cookie) => name.test(cookie.name));
  }

  forget(name: RegExp): void {
    for (const [key, cookie] of this.#cookies)
      if (name.test(cookie.name)) this.#cookies.delete(key);
  }

  /** Sends one request with the cookies. */
  async ask(asking: Asking): Promise<HttpResponse> {
    const [path = ""] = asking.path.split("?", 1);
    const cookies = [...this.#cookies.values()].filter((one) => isBelow(path, one.path));
    const response = await sendTo(this.#target, {
      ...asking,
      headers: {
        Accept: "text/html",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Site": asking.form === undefined ? "none" : "same-origin",
        ...(cookies.length > 0 && {
          Cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; "),
        }),
        ...asking.headers,
      },
    });
    for (const line of response.cookies) this.#keep(line);
    return response;
  }

  /** Sends a request and follows redirects. */
  async go(asking: Asking): Promise<Place> {
    const trail: string[] = [];
    let next: Asking = asking;
    for (;;) {
      trail.push(next.path);
      const response = await this.ask(next);
      const { path } = next;
      const { location } = response;
      if (location === undefined || response.status < 300 || response.status > 399)
        return { response, away: undefined, path, trail };
      const base = `${this.#own[0]}${path}`;
      if (!URL.canParse(location, base)) return { response, away: location, path, trail };
      const url = new URL(location, base);
      if (!this.#own.includes(url.origin)) return { response, away: location, path, trail };
      if (trail.length > MAX_REDIRECTS) throw new Undecided("the server redirects in a circle");
      next = { path: url.pathname + url.search, ...(asking.at && { at: asking.at }) };
    }
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split(/; */);
    const at = pair.indexOf("=");
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    const [, path = "/"] = /^path=(.*)$/im.exec(attributes.join("\n")) ?? [];
    const isGone = value === "" || /^(max-age=(0|-)|expires=.*1970)/im.test(attributes.join("\n"));
    if (isGone) this.#cookies.delete(`${name} ${path}`);
    else this.plant(name, value, path);
  }
}

const isBelow = (path: string, top: string): boolean =>
  path === top || path.startsWith(top.endsWith("/") ? top : `${top}/`);

export type Parameters = Readonly<Record<string, string | undefined>>;

/** A request for a sign-in, and what its client remembers. */
export interface Started {
  readonly path: string;
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
}

/** Starts a sign-in as an honest client does; `undefined` leaves a parameter out. */
export function start(
  provider: Provider,
  client: OidcClient,
  parameters: Parameters = {},
): Started {
  const [verifier, state, nonce] = [randomText() + randomText(), randomText(), randomText()];
  const all: Parameters = {
    client_id: client.id,
    redirect_uri: client.redirect,
    response_type: "code",
    scope: "openid",
    ...{ state, nonce },
    code_challenge: challengeOf(verifier),
    code_challenge_method: "S256",
    ...parameters,
  };
  const query = new URLSearchParams(withoutUndefined(all));
  return { path: `${pathOf(provider, "authorization_endpoint")}?${query}`, verifier, state, nonce };
}

export const withoutUndefined = (parameters: Parameters): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );

/** The form of the page on which a person agrees. */
const isConsent = ({ response: { status, body } }: Place): boolean =>
  status === 200 && /name="answer" value="yes"/.test(body);

/** Opens a sign-in in a browser that is signed in, and agrees where it is asked. */
export async function visit(
  browser: Browser,
  { path }: Pick<Started, "path">,
  at?: ServerAddress,
): Promise<Place> {
  const place = await browser.go({ path, at });
  if (!isConsent(place)) return place;
  return browser.go({ path: place.path, form: { answer: "yes" }, at });
}

/** A parameter in the query or the fragment of the URL on another site. */
export function parameterOf({ away }: Place, name: string): string | undefined {
  if (away === undefined || !URL.canParse(away)) return undefined;
  const { searchParams, hash } = new URL(away);
  return searchParams.get(name) ?? new URLSearchParams(hash.slice(1)).get(name) ?? undefined;
}

/** Whether the browser would bring a code or a token to another site. */
export const hasCode = (place: Place): boolean =>
  ["code", "access_token", "id_token"].some((name) => parameterOf(place, name) !== undefined) ||
  /name="(code|access_token|id_token)"/.test(place.response.body);
