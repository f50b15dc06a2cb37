import { type KeyObject, sign } from "node:crypto";
import { createSecureContext } from "node:tls";
import { Fault } from "../../../core/base/fault.ts";
import { objectIn } from "../../../core/base/json.ts";
import { jwtPart } from "../../../core/sessions/jwt.ts";
import { type HttpResponse, networkReason, sendRequest } from "../http-request.ts";
import type { AccountKey } from "./keys.ts";
import { acmeProblemIn, unusableAnswer } from "./problem.ts";

const TIMEOUT_MS = 30_000;
/** A certificate chain takes a few thousand bytes. */
const MAX_RESPONSE_BYTES = 256 * 1024;
/** For one attempt: some 10 requests, nonces to repeat them, and minutes of polls. */
const MAX_REQUESTS = 150;
/** An authority may refuse any nonce, and sends a new one with the refusal. */
const MAX_NONCES = 12;

/** Where an attempt gets its certificate. */
export interface Authority {
  readonly directoryUrl: string;
  /** The authorities whose certificates it may have. By default, those that Node.js trusts. */
  readonly ca: readonly string[] | undefined;
  readonly stop: AbortSignal;
}

export interface AcmeRequests {
  readonly key: AccountKey;
  /** `undefined` reads the resource (POST-as-GET); any other payload is sent as JSON. */
  post(url: string, payload: object | undefined): Promise<HttpResponse>;
  newOrder(payload: object): Promise<HttpResponse>;
}

/** Signs requests for one account. Registers the account if the authority does not know it. */
export async function openAccount(authority: Authority, key: AccountKey): Promise<AcmeRequests> {
  const send = createSending(authority);
  const listed = await send("GET", authority.directoryUrl);
  if (listed.status !== 200) throw acmeProblemIn(listed);
  const directory = jsonOf(listed);
  const post = createSigning(send, fieldIn(directory, "newNonce"), key);
  const newOrder = fieldIn(directory, "newOrder");
  const terms = { termsOfServiceAgreed: true };
  const registered = await post(fieldIn(directory, "newAccount"), terms, { jwk: key.publicJwk });
  const account = registered.headers.location;
  if (account === undefined) throw unusableAnswer("no URL for the account");
  return {
    key,
    post: (url, payload) => post(url, payload, { kid: account }),
    newOrder: (payload) => post(newOrder, payload, { kid: account }),
  };
}

type Send = (method: "GET" | "HEAD" | "POST", url: string, body?: string) => Promise<HttpResponse>;

/** Counts the requests, because the responses decide what is requested next. */
function createSending({ ca, stop }: Authority): Send {
  const limits = { stop, timeoutMs: TIMEOUT_MS, maxBytes: MAX_RESPONSE_BYTES };
  // Once for all requests: reading hundreds of certificates takes 40 ms, in which no guard answers.
  const trust = ca === undefined ? {} : { secureContext: createSecureContext({ ca: [...ca] }) };
  let left = MAX_REQUESTS;
  return async (method, text, body = "") => {
    const url = URL.parse(text);
    if (url?.protocol !== "https:") throw unusableAnswer("a URL without https");
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
      const reason = `cannot reach ${url.host}: ${networkReason(error)}`;
      throw new Fault("acme_unreachable", reason, { cause: error });
    });
    if (Buffer.byteLength(response.body) <= MAX_RESPONSE_BYTES) return response;
    throw unusableAnswer("too much text");
  };
}

function createSigning(send: Send, newNonce: string, key: AccountKey) {
  let nonce: string | undefined;

  /** `identity` names the account: by its public key, or by its URL once it is registered. */
  return async (
    url: string,
    payload: object | undefined,
    identity: { readonly jwk: object } | { readonly kid: string },
  ): Promise<HttpResponse> => {
    for (let tried = 1; ; tried += 1) {
      nonce ??= nonceIn(await send("HEAD", newNonce));
      if (nonce === undefined) throw unusableAnswer("no nonce");
      const signed = signedBody({ ...identity, nonce, url }, payload, key.privateKey);
      const reply = await send("POST", url, signed);
      nonce = nonceIn(reply);
      if (reply.status < 400) return reply;
      const problem = acmeProblemIn(reply);
      if (problem.problem !== "badNonce" || tried === MAX_NONCES) throw problem;
    }
  };
}

/** The body of a request: a JWS in its flattened form, signed by ES256. */
function signedBody(header: object, payload: object | undefined, key: KeyObject): string {
  const parts = {
    protected: jwtPart({ alg: "ES256", ...header }),
    payload: payload === undefined ? "" : jwtPart(payload),
  };
  const text = Buffer.from(`${parts.protected}.${parts.payload}`);
  const signature = sign("sha256", text, { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
  return JSON.stringify({ ...parts, signature });
}

const nonceIn = ({ headers }: HttpResponse): string | undefined =>
  [headers["replay-nonce"]].flat()[0];

export type JsonObject = Readonly<Record<string, unknown>>;

export function jsonOf({ body }: HttpResponse): JsonObject {
  const value = objectIn(body);
  if (value === undefined) throw unusableAnswer("text that is not a JSON object");
  return value;
}

export function fieldIn(value: JsonObject, name: string): string {
  const text = value[name];
  if (typeof text !== "string") throw unusableAnswer(`no text "${name}"`);
  return text;
}
