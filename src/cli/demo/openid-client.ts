import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { request as createRequest, type IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";
import { OIDC_DISCOVERY } from "../../http/paths.ts";

/** Describes how the app is known to the provider. */
export interface ClientSettings {
  /** The URL of the provider. */
  readonly issuer: string;
  readonly id: string;
  readonly secret: string;
  readonly redirect: string;
}

/** Contains what the app must remember between the question and the answer. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Contains what the app has asked for. */
export interface Identity {
  readonly sub: string;
  readonly preferred_username: string;
  readonly groups: readonly string[];
}

/** A small client of OpenID Connect: an authorization code, with PKCE. */
export interface OpenidClient {
  /** Returns where the browser asks, and what the app must remember. */
  begin(): Promise<{ readonly url: string; readonly attempt: Attempt }>;
  /** Exchanges the code for an ID token. Rejects if the token is not the answer to the attempt. */
  finish(code: string, attempt: Attempt): Promise<Identity>;
}

const SCOPE = "openid profile groups";

const createRandom = (): string => randomBytes(32).toString("base64url");

export function createOpenidClient({ issuer, id, secret, redirect }: ClientSettings): OpenidClient {
  const discover = () => sendForJson(`${issuer}${OIDC_DISCOVERY}`);
  return {
    async begin() {
      const attempt = { state: createRandom(), nonce: createRandom(), verifier: createRandom() };
      const query = new URLSearchParams({
        ...{ response_type: "code", client_id: id, redirect_uri: redirect, scope: SCOPE },
        ...{ state: attempt.state, nonce: attempt.nonce, code_challenge_method: "S256" },
        code_challenge: createHash("sha256").update(attempt.verifier).digest("base64url"),
      });
      const { authorization_endpoint: endpoint } = await discover();
      return { url: `${endpoint}?${query}`, attempt };
    },

    async finish(code, { nonce, verifier }) {
      const { token_endpoint: endpoint } = await discover();
      const form = { grant_type: "authorization_code", code, redirect_uri: redirect };
      const answer = await sendForJson(String(endpoint), {
        body: new URLSearchParams({ ...form, code_verifier: verifier }).toString(),
        headers: {
          "Content-Type": "application/x-www-form-urlencoded",
          Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
        },
      });
      const claims = decodeClaims(answer.id_token);
      // The provider itself has sent the token, so its signature proves nothing more.
      const isAnswer = claims.iss === issuer && claims.aud === id && claims.nonce === nonce;
      if (!isAnswer || Number(claims.exp) * 1_000 < Date.now())
        throw new Error("the ID token is not for this sign-in");
      return claims as object as Identity;
    },
  };
}

type Json = Readonly<Record<string, unknown>>;

const decodeClaims = (token: unknown): Json =>
  JSON.parse(Buffer.from(String(token).split(".")[1] ?? "", "base64url").toString());

interface Sending {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends a request to this machine, and returns the JSON of the response. Only browsers know names
 * below `localhost` everywhere, so the connection does not depend on the name.
 */
async function sendForJson(url: string, { body, headers }: Sending = {}): Promise<Json> {
  const { host, port, pathname: path } = new URL(url);
  const outgoing = createRequest({
    ...{ host: "127.0.0.1", port, path, agent: false },
    method: body === undefined ? "GET" : "POST",
    headers: { ...headers, Host: host },
  });
  outgoing.end(body);
  const [response]: IncomingMessage[] = await once(outgoing, "response");
  if (response === undefined) throw new Error(`${url}: no response`);
  const answer = await readText(response);
  if (response.statusCode !== 200)
    throw new Error(`${url}: ${response.statusCode} ${answer.slice(0, 200)}`);
  return JSON.parse(answer);
}
