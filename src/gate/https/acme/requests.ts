import { type KeyObject, sign } from "node:crypto";
import { createSecureContext } from "node:tls";
import { encodeJwtPart } from "../../../identity/jwt.ts";
import { Fault } from "../../../lib/fault.ts";
import { parseJsonObject } from "../../../lib/json.ts";
import { explainNetworkError, type HttpResponse, sendRequest } from "../http-request.ts";
import type { AccountKey } from "./keys.ts";
import { createResponseFault, parseAcmeProblem } from "./problem.ts";

const TIMEOUT_MS = 30_000;
/** A certificate chain takes a few thousand bytes. */
const MAX_RESPONSE_BYTES = 256 * 1024;
/**
 * Limits one attempt, which needs about 10 requests, nonces to repeat them, and minutes of polls.
 */
const MAX_REQUESTS = 150;
/** Limits the retries: an authority may refuse any nonce, and sends a new one with the refusal. */
const MAX_NONCES = 12;

/** Describes the authority that issues the certificate of an attempt. */
export interface Authority {
  readonly directoryUrl: string;
  /**
   * Lists the CAs that are trusted for the authority's certificate. By default, Node.js decides.
   */
  readonly ca: readonly string[] | undefined;
  readonly stop: AbortSignal;
}

export interface AcmeRequests {
  readonly key: AccountKey;
  /** Sends `payload` as JSON. With `undefined`, it reads the resource (POST-as-GET). */
  post(url: string, payload: object | undefined): Promise<HttpResponse>;
  postOrder(payload: object): Promise<HttpResponse>;
}

/** Signs requests for one account. Registers the account if the authority does not know it. */
export async function openAccount(authority: Authority, key: AccountKey): Promise<AcmeRequests> {
  const send = createSender(authority);
  const directoryResponse = await send("GET", authority.directoryUrl);
  if (directoryResponse.status !== 200) throw parseAcmeProblem(directoryResponse);
  const directory = parseJsonBody(directoryResponse);
  const post = createSigner(send, readField(directory, "newNonce"), key);
  const newOrder = readField(directory, "newOrder");
  const terms = { termsOfServiceAgreed: true };
  const registration = await post(readField(directory, "newAccount"), terms, {
    jwk: key.publicJwk,
  });
  const account = registration.headers.location;
  if (account === undefined) throw createResponseFault("no URL for the account");
  return {
    key,
    post: (url, payload) => post(url, payload, { kid: account }),
    postOrder: (payload) => post(newOrder, payload, { kid: account }),
  };
}

type Send = (method: "GET" | "HEAD" | "POST", url: string, body?: string) => Promise<HttpResponse>;

/**
 * Returns a function that sends a limited number of requests. Without the limit, an authority could
 * keep an attempt running, because each response decides which request follows.
 */
function createSender({ ca, stop }: Authority): Send {
  const limits = { stop, timeoutMs: TIMEOUT_MS, maxBytes: MAX_RESPONSE_BYTES };
  // All requests share one context: reading hundreds of certificates blocks all other requests for
  // 40 ms.
  const trust = ca === undefined ? {} : { secureContext: createSecureContext({ ca: [...ca] }) };
  let left = MAX_REQUESTS;
  return async (method, text, body = "") => {
    const url = URL.parse(text);
    if (url?.protocol !== "https:") throw createResponseFault("a URL without https");
    if (left === 0) {
      const reason = `the certificate authority was not done after ${MAX_REQUESTS} requests`;
      throw new Fault("acme_stuck", reason);
    }
    left -= 1;
    const type = { "Content-Type": "application/jose+json" };
    const headers = { "User-Agent": "latchkey", ...(method === "POST" ? type : {}) };
    const sent = { method, headers, body, ...trust, ...limits };
    const response = await sendRequest(url, sent).catch((error) => {
      if (stop.aborted) throw error;
      const reason = `cannot reach ${url.host}: ${explainNetworkError(error)}`;
      throw new Fault("acme_unreachable", reason, { cause: error });
    });
    if (Buffer.byteLength(response.body) <= MAX_RESPONSE_BYTES) return response;
    throw createResponseFault("too much text");
  };
}

function createSigner(send: Send, newNonce: string, key: AccountKey) {
  let nonce: string | undefined;

  /**
   * `accountHeader` identifies the account by its public key, or by its URL once it is registered.
   */
  return async (
    url: string,
    payload: object | undefined,
    accountHeader: { readonly jwk: object } | { readonly kid: string },
  ): Promise<HttpResponse> => {
    for (let tried = 1; ; tried += 1) {
      nonce ??= readNonce(await send("HEAD", newNonce));
      if (nonce === undefined) throw createResponseFault("no nonce");
      const signedRequest = signBody({ ...accountHeader, nonce, url }, payload, key.privateKey);
      const reply = await send("POST", url, signedRequest);
      nonce = readNonce(reply);
      if (reply.status < 400) return reply;
      const problem = parseAcmeProblem(reply);
      if (problem.problem !== "badNonce" || tried === MAX_NONCES) throw problem;
    }
  };
}

/** Creates the body of a request: a flattened JWS, signed with ES256. */
function signBody(header: object, payload: object | undefined, key: KeyObject): string {
  const parts = {
    protected: encodeJwtPart({ alg: "ES256", ...header }),
    payload: payload === undefined ? "" : encodeJwtPart(payload),
  };
  const text = Buffer.from(`${parts.protected}.${parts.payload}`);
  const signature = sign("sha256", text, { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
  return JSON.stringify({ ...parts, signature });
}

const readNonce = ({ headers }: HttpResponse): string | undefined =>
  [headers["replay-nonce"]].flat()[0];

export type JsonObject = Readonly<Record<string, unknown>>;

export function parseJsonBody({ body }: HttpResponse): JsonObject {
  const value = parseJsonObject(body);
  if (value === undefined) throw createResponseFault("text that is not a JSON object");
  return value;
}

export function readField(value: JsonObject, name: string): string {
  const text = value[name];
  if (typeof text !== "string") throw createResponseFault(`no text "${name}"`);
  return text;
}
