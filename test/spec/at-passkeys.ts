import assert from "node:assert/strict";
import { type Authenticator, createAuthenticator } from "../support/authenticator.ts";
import type { Answer } from "../support/client.ts";
import type { RunningGate } from "../support/gate.ts";

export const BEGIN = "/account/passkeys/begin";
export const ADD = "/account/passkeys/add";
export const SIGN_IN = "/login/passkey";
export const HOST = { Host: "auth.example.org" } as const;

/** Posts forms to a host that can have passkeys. */
export interface Sent {
  send(path: string, form: object, session?: string, headers?: object): Promise<Answer>;
}

export const sender = ({ send }: Pick<RunningGate, "send">): Sent => ({
  send: (path, form, session, headers) =>
    send(path, { form: { ...form }, session, headers: { ...HOST, ...headers } }),
});

interface Added {
  readonly passkey: Authenticator;
  readonly userId: string;
  readonly answer: Answer;
}

/** Adds a passkey as the script of the page does. */
export async function addPasskey({ send }: Sent, session: string): Promise<Added> {
  const passkey = createAuthenticator();
  const begun = await send(BEGIN, {}, session);
  assert.equal(begun.status, 200, begun.body);
  const { challenge, rpId, userId } = JSON.parse(begun.body);
  assert.equal(rpId, HOST.Host);
  const { name, clientData, attestation } = passkey.create(challenge);
  const answer = await send(ADD, { name, client_data: clientData, attestation }, session);
  return { passkey, userId: Buffer.from(userId, "base64url").toString(), answer };
}

/** The form that the script of the sign-in page sends. */
export async function formOfSignIn(
  { send }: Sent,
  passkey: Authenticator,
  userId: string,
): Promise<object> {
  const { challenge } = JSON.parse((await send(SIGN_IN, {})).body);
  const answer = passkey.get(challenge, userId);
  return {
    credential: answer.id,
    user_handle: answer.userHandle,
    client_data: answer.clientData,
    authenticator_data: answer.authenticatorData,
    signature: answer.signature,
  };
}
