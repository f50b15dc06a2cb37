import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import * as client from "openid-client";
import { pause } from "../../../src/lib/pause.ts";
import { send } from "../../support/client.ts";
import type { CheckedSite } from "./site.ts";

/** What is wrong with the app. Each is one mistake that an operator or an app can make. */
export interface Mistakes {
  readonly issuer?: string;
  readonly clientId?: string;
  readonly redirectUri?: string;
  readonly scope?: string;
  readonly extra?: Readonly<Record<string, string>>;
  readonly secret?: string;
  readonly auth?: "none";
  readonly tokens?: "pkce" | "twice" | "unreachable" | "other-redirect" | "malformed";
  /** The app gets tokens, and does not let the browser in. */
  readonly entrance?: "forgets" | "fails" | "circle" | "error";
  /** How the page shows its sign-in. */
  readonly page?: "link" | "form" | "nothing" | "opening" | "script";
  readonly callback?: "script";
  /** A form of a gate on another site arrives without such a cookie. */
  readonly stateSite?: "Lax";
  /** The app reads the discovery document with each sign-in, and cannot. */
  readonly discovery?: "broken";
}

interface Pending {
  readonly verifier: string;
  readonly nonce: string;
}

/** A small app that signs people in with OpenID Connect, as an honest client does without mistakes. */
export function createOidcApp(
  { issuer, gate }: CheckedSite,
  id: string,
  secret: string,
  readUrl: () => string,
  mistakes: Mistakes = {},
): (incoming: IncomingMessage, response: ServerResponse) => void {
  const pending = new Map<string, Pending>();
  const sessions = new Map<string, string>();
  const clientId = mistakes.clientId ?? id;
  const configure = async (): Promise<client.Configuration> => {
    const server: client.ServerMetadata = {
      issuer,
      authorization_endpoint: `${mistakes.issuer ?? issuer}/oidc/authorize`,
      token_endpoint: `${issuer}/oidc/token`,
      jwks_uri: `${issuer}/oidc/keys`,
      userinfo_endpoint: `${issuer}/oidc/userinfo`,
    };
    const password = mistakes.secret ?? secret;
    const auth =
      mistakes.auth === "none" || password === ""
        ? client.None()
        : client.ClientSecretPost(password);
    const metadata = { client_secret: password, id_token_signed_response_alg: "RS256" };
    const config = new client.Configuration(server, clientId, metadata, auth);
    client.allowInsecureRequests(config);
    config[client.customFetch] = fetchFromGate;
    return config;
  };

  const fetchFromGate: client.CustomFetch = async (url, { method, headers, body }) => {
    const { pathname, search, host } = new URL(url);
    if (mistakes.tokens === "unreachable") throw new Error("connect ECONNREFUSED");
    const given = Object.fromEntries(new Headers(headers));
    if (mistakes.tokens === "malformed") given.authorization = "Basic !";
    const answer = await send(`${gate.url}${pathname}${search}`, {
      method,
      headers: { ...given, Host: host, "X-Forwarded-Proto": "http" },
      ...(body != null && { body: String(body) }),
    });
    return new Response(answer.body === "" ? null : answer.body, {
      status: answer.status,
      headers: { "content-type": String(answer.headers["content-type"]) },
    });
  };

  const redirect = (response: ServerResponse, to: string, cookies: readonly string[] = []) =>
    response.writeHead(302, { Location: to, "Set-Cookie": [...cookies] }).end();
  const show = (response: ServerResponse, html: string, status = 200) =>
    response.writeHead(status, { "Content-Type": "text/html" }).end(`<!doctype html>${html}`);

  async function login(response: ServerResponse): Promise<void> {
    if (mistakes.discovery === "broken") throw new Error("the issuer cannot be reached");
    // A session of the same second counts as a new sign-in.
    if (mistakes.extra?.prompt === "login") await pause(1_100);
    const config = await configure();
    const verifier = client.randomPKCECodeVerifier();
    const [state, nonce] = [client.randomState(), client.randomNonce()];
    pending.set(state, { verifier, nonce });
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: mistakes.redirectUri ?? `${readUrl()}/callback`,
      scope: mistakes.scope ?? "openid profile groups",
      ...{ state, nonce, code_challenge: await client.calculatePKCECodeChallenge(verifier) },
      code_challenge_method: "S256",
      ...mistakes.extra,
    });
    const site = mistakes.extra?.response_mode === "form_post" ? mistakes.stateSite : "Lax";
    redirect(response, url.href, [`state=${state}; Path=/; HttpOnly; SameSite=${site ?? "None"}`]);
  }

  async function callback(response: ServerResponse, url: URL, cookie: string): Promise<void> {
    if (mistakes.callback === "script") {
      show(response, "<script>send(location.search)</script>");
      return;
    }
    const [, state = ""] = /\bstate=([\w-]+)/.exec(cookie) ?? [];
    const begun = pending.get(state);
    if (begun === undefined) throw new Error("the state is lost");
    const config = await configure();
    const isOther = mistakes.tokens === "other-redirect";
    const current = new URL(isOther ? `/other${url.search}` : url, url);
    const redeem = () =>
      client.authorizationCodeGrant(config, current, {
        expectedState: state,
        expectedNonce: begun.nonce,
        pkceCodeVerifier:
          mistakes.tokens === "pkce" ? client.randomPKCECodeVerifier() : begun.verifier,
        idTokenExpected: true,
      });
    const tokens = await redeem();
    if (mistakes.tokens === "twice") await redeem();
    const name = tokens.claims()?.preferred_username;
    if (mistakes.entrance === "fails") throw new Error("no account for this person");
    if (mistakes.entrance === "error") return void redirect(response, "/?error=no-account");
    if (mistakes.entrance === "forgets") return void redirect(response, "/");
    if (mistakes.entrance === "circle") return void redirect(response, "/login");
    const key = randomUUID();
    sessions.set(key, String(name));
    redirect(response, "/", [`app=${key}; Path=/; HttpOnly`]);
  }

  const entrances = {
    link: '<a href="/about">About</a><a class="button" href="/login?next=%2F&amp;x=1">Sign in with Latchkey</a>',
    form: '<form method="post" action="/login"><input type="hidden" name="csrf" value="1"><button>Log in with SSO</button></form>',
    nothing: "<p>Welcome.</p>",
    script: '<div id="app"></div><script src="/app.js"></script>',
    opening: "",
  };

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? "/", readUrl());
    const { cookie = "" } = incoming.headers;
    const page = mistakes.page ?? "link";
    const name = sessions.get(/\bapp=([\w-]+)/.exec(cookie)?.[1] ?? "");
    if (url.pathname === "/login") {
      if (page === "form" && incoming.method !== "POST") show(response, "use the form", 405);
      else await login(response);
    } else if (url.pathname === "/callback") {
      if (incoming.method === "POST") url.search = await text(incoming);
      await callback(response, url, cookie);
    } else if (page === "script") show(response, entrances.script);
    else if (name !== undefined)
      show(response, `<p>Hello ${name}</p><a href="/logout">Log out</a>`);
    else if (page === "opening") await login(response);
    else show(response, entrances[page]);
  }

  return (incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      if (!response.headersSent) show(response, `<p>Error: ${error}</p>`, 500);
    });
  };
}
