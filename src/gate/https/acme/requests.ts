import { type KeyObject, sign } from "node:crypto";
import { jwtPart } from "../../../core/sessions/jwt.ts";
import type { HttpResponse } from "../http-request.ts";
import { type Exchange, httpsUrl } from "./exchange.ts";
import type { AccountKey } from "./keys.ts";
import { jsonIn, problemOf, unusable } from "./problem.ts";

/** An authority may refuse any nonce, and sends a new one with the refusal. */
const MAX_NONCES = 12;

export interface AcmeRequests {
  readonly key: AccountKey;
  /** `undefined` reads the resource (POST-as-GET); any other payload is sent as JSON. */
  post(url: string, payload: object | undefined): Promise<HttpResponse>;
  newOrder(payload: object): Promise<HttpResponse>;
}

/** Signs requests for one account. Registers the account if the authority does not know it. */
export async function openAccount(
  exchange: Exchange,
  directoryUrl: string,
  key: AccountKey,
): Promise<AcmeRequests> {
  const listed = await exchange.send("GET", directoryUrl);
  if (listed.status !== 200) throw problemOf(listed);
  const directory = jsonOf(listed);
  const address = (name: string): string => httpsUrl(textIn(directory, name)).href;
  const newOrder = address("newOrder");
  const post = createSigning(exchange, address("newNonce"), key);
  const terms = { termsOfServiceAgreed: true };
  const registered = await post(address("newAccount"), terms, { jwk: key.publicJwk });
  const account = registered.headers.location;
  if (account === undefined) throw unusable("no URL for the account");
  return {
    key,
    post: (url, payload) => post(url, payload, { kid: account }),
    newOrder: (payload) => post(newOrder, payload, { kid: account }),
  };
}

function createSigning(exchange: Exchange, newNonce: string, key: AccountKey) {
  let nonce: string | undefined;

  const freshNonce = async (): Promise<string> => {
    const fresh = nonceIn(await exchange.send("HEAD", newNonce));
    if (fresh === undefined) throw unusable("no nonce");
    return fresh;
  };

  /** `identity` names the account: by its public key, or by its URL once it is registered. */
  return async (
    url: string,
    payload: object | undefined,
    identity: { readonly jwk: object } | { readonly kid: string },
  ): Promise<HttpResponse> => {
    for (let tried = 1; ; tried += 1) {
      const used = nonce ?? (await freshNonce());
      const signed = signedBody({ ...identity, nonce: used, url }, payload, key.privateKey);
      const reply = await exchange.send("POST", url, signed);
      nonce = nonceIn(reply);
      if (reply.status < 400) return reply;
      const problem = problemOf(reply);
      if (problem.problem !== "badNonce" || tried === MAX_NONCES) throw problem;
    }
  };
}

/** The body of a request: a JWS in its flattened form, signed by ES256. */
export function signedBody(header: object, payload: object | undefined, key: KeyObject): string {
  const parts = {
    protected: jwtPart({ alg: "ES256", ...header }),
    payload: payload === undefined ? "" : jwtPart(payload),
  };
  const text = Buffer.from(`${parts.protected}.${parts.payload}`);
  const signature = sign("sha256", text, { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
  return JSON.stringify({ ...parts, signature });
}

function nonceIn({ headers }: HttpResponse): string | undefined {
  return [headers["replay-nonce"]].flat()[0];
}

export function jsonOf(reply: HttpResponse): object {
  const value = jsonIn(reply);
  if (typeof value !== "object" || value === null) throw unusable("text that is not a JSON object");
  return value;
}

export function textIn(value: object, name: string): string {
  const text: unknown = Reflect.get(value, name);
  if (typeof text !== "string") throw unusable(`no text "${name}"`);
  return text;
}
