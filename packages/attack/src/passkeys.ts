import { Skipped, Undecided } from "./errors.ts";
import type { HttpResponse } from "./http/response.ts";
import { type Answering, type SoftPasskey, softPasskey } from "./payloads/passkey.ts";
import { isSuccess, newAddress, ownHost, send, type Target } from "./target.ts";

type Form = Readonly<Record<string, string>>;

const BEGIN = "/account/passkeys/begin";
const ADD = "/account/passkeys/add";
const REMOVE = "/account/passkeys/remove";
const SIGN_IN = "/login/passkey";

/** A passkey that an attack has added to an account. */
export interface AddedPasskey {
  readonly passkey: SoftPasskey;
  readonly userId: string;
  /** The challenge that it was added with. */
  readonly challenge: string;
  readonly answering: Answering;
}

/** @throws Skipped if the server offers none */
export async function addPasskey(target: Target, session: string): Promise<AddedPasskey> {
  const passkey = softPasskey();
  const { userId, rpId, challenge } = jsonIn(await post(target, BEGIN, {}, { session }));
  const answering: Answering = { rpId, origin: originOf(placeOf(target), rpId) };
  const added = await post(target, ADD, passkey.added(challenge, answering), { session });
  if (added.status !== 303) throw new Undecided("no passkey can be added");
  return { passkey, userId, challenge, answering };
}

export const removePasskey = (
  target: Target,
  session: string,
  { id }: SoftPasskey,
): Promise<HttpResponse> => post(target, REMOVE, { passkey: id }, { session });

/** A new challenge for a sign-in. */
export const signInChallenge = async (target: Target): Promise<string> =>
  jsonIn(await post(target, SIGN_IN, {})).challenge;

/** Without the session of the account: a sign-in ends that of the same user. */
export const signsInWithPasskey = async (target: Target, form: Form): Promise<boolean> =>
  isSuccess(await post(target, SIGN_IN, form, { from: await newAddress(target) }));

const post = (
  target: Target,
  path: string,
  form: Form,
  sent: { readonly session?: string; readonly from?: string } = {},
): Promise<HttpResponse> =>
  send(target, { path, form, headers: { Host: placeOf(target).host }, ...sent });

interface Place {
  readonly host: string;
  readonly protocol: string;
}

/** Browsers refuse passkeys at IP addresses, so such a server is addressed by name. */
function placeOf(target: Target): Place {
  const { protocol, host, port } = target.address;
  const isAddress = /^[\d.]+$|:/.test(host);
  return { protocol, host: isAddress ? `localhost:${port}` : ownHost(target) };
}

const originOf = ({ protocol, host }: Place, rpId: string): string =>
  host.replace(/:\d+$/, "") === rpId ? `${protocol}//${host}` : `https://${rpId}`;

interface Asked {
  readonly challenge: string;
  readonly rpId: string;
  readonly userId: string;
}

const isJsonWithChallenge = ({ status, body }: HttpResponse): boolean =>
  status === 200 && /^\{.*"challenge":/.test(body);

function jsonIn(response: HttpResponse): Asked {
  if (!isJsonWithChallenge(response)) throw new Skipped("the server offers no passkeys here");
  return JSON.parse(response.body);
}
