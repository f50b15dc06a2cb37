import { FlattenedSign } from "jose";
import { Fault } from "../../../core/fault.ts";
import type { HttpResponse } from "../http-request.ts";
import type { AccountKey } from "./account-key.ts";
import { type Exchange, httpsUrl } from "./exchange.ts";
import { problemOf } from "./problem.ts";

/** An authority may refuse any nonce, and sends a new one with the refusal. */
const MAX_NONCES = 12;

export interface AcmeRequests {
  readonly key: AccountKey;
  /** `undefined` reads the resource (POST-as-GET); any other payload is sent as JSON. */
  post(url: string, payload: object | undefined): Promise<HttpResponse>;
  newOrder(payload: object): Promise<HttpResponse>;
}

interface Directory {
  readonly newNonce: string;
  readonly newAccount: string;
  readonly newOrder: string;
}

/** Signs requests for one account. Registers the account if the authority does not know it. */
export async function openAccount(
  exchange: Exchange,
  directoryUrl: string,
  key: AccountKey,
): Promise<AcmeRequests> {
  const directory = await readDirectory(exchange, directoryUrl);
  const signed = createSigning(exchange, directory, key);
  const registered = await signed(directory.newAccount, { termsOfServiceAgreed: true }, undefined);
  const account = registered.headers.location;
  if (account === undefined) throw unusable("no address for the account");
  return {
    key,
    post: (url, payload) => signed(url, payload, account),
    newOrder: (payload) => signed(directory.newOrder, payload, account),
  };
}

async function readDirectory(exchange: Exchange, url: string): Promise<Directory> {
  const reply = await exchange.send("GET", url);
  if (reply.status !== 200) throw problemOf(reply);
  const listed = jsonOf(reply);
  const address = (name: keyof Directory): string => httpsUrl(textIn(listed, name)).href;
  return {
    newNonce: address("newNonce"),
    newAccount: address("newAccount"),
    newOrder: address("newOrder"),
  };
}

type Signed = (
  url: string,
  payload: object | undefined,
  account: string | undefined,
) => Promise<HttpResponse>;

function createSigning(exchange: Exchange, directory: Directory, key: AccountKey): Signed {
  let nonce: string | undefined;

  const freshNonce = async (): Promise<string> => {
    const reply = await exchange.send("HEAD", directory.newNonce);
    const fresh = nonceIn(reply);
    if (fresh === undefined) throw unusable("no nonce");
    return fresh;
  };

  return async (url, payload, account) => {
    for (let tried = 1; ; tried += 1) {
      const used = nonce ?? (await freshNonce());
      const body = await sign(key, { url, nonce: used, account }, payload);
      const reply = await exchange.send("POST", url, body);
      nonce = nonceIn(reply);
      if (reply.status < 400) return reply;
      const problem = problemOf(reply);
      if (problem.problem !== "badNonce" || tried === MAX_NONCES) throw problem;
    }
  };
}

function nonceIn({ headers }: HttpResponse): string | undefined {
  return [headers["replay-nonce"]].flat()[0];
}

interface Protected {
  readonly url: string;
  readonly nonce: string;
  readonly account: string | undefined;
}

async function sign(
  key: AccountKey,
  { url, nonce, account }: Protected,
  payload: object | undefined,
): Promise<string> {
  const text = payload === undefined ? "" : JSON.stringify(payload);
  const identity = account === undefined ? { jwk: key.publicJwk } : { kid: account };
  const jws = await new FlattenedSign(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: "ES256", ...identity, nonce, url })
    .sign(key.privateKey);
  return JSON.stringify(jws);
}

export function jsonOf(reply: HttpResponse): object {
  try {
    const value: unknown = JSON.parse(reply.body);
    if (typeof value === "object" && value !== null) return value;
  } catch {}
  throw unusable("something that is not JSON");
}

export function textIn(value: object, name: string): string {
  const text: unknown = Reflect.get(value, name);
  if (typeof text !== "string") throw unusable(`nothing under ${name}`);
  return text;
}

export function unusable(what: string): Fault {
  return new Fault("acme_answer_unusable", `the certificate authority answered with ${what}`);
}
